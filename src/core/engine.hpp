// The search behind `--method hybrid`: ruin and recreate under annealing, with a strong tour search
// and the exact CROSS exchange on what it finds.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "instance.hpp"
#include "plan.hpp"

namespace neurocross {

// When to stop: whichever comes first. An iteration is one ruin and recreate.
struct Limits {
  double seconds = kInfinity;
  std::int64_t iterations = std::numeric_limits<std::int64_t>::max();
  std::int64_t no_improvement = std::numeric_limits<std::int64_t>::max();  // iterations
  double target = -kInfinity;  // a value of the objective that is good enough
  double bound = -kInfinity;   // a value no plan can go below
};

enum class Stop { running, time, iterations, no_improvement, target, bound, interrupted };

struct TracePoint {
  double seconds;
  std::int64_t iteration;
  double value;
};

struct Outcome {
  Tours tours;  // feasible if any plan found is, else the one least beyond its limits
  std::int64_t iterations = 0;
  std::vector<TracePoint> trace;  // of each new best value
  Stop stop = Stop::running;
};

struct Hooks {
  // Asked now and then with the best plan if there is a new one since, else null; true ends the search.
  std::function<bool(const Tours* new_best, const TracePoint& point)> report;
};

// Searches from the construction or, where given, from `start`: tours by vehicle, in which cities
// may be missing; no city twice. Same seed and iterations, same answer.
Outcome search(const Instance& instance, Objective objective, std::uint64_t seed, double tolerance,
               const Tours* start, const Limits& limits, const Hooks& hooks);

}  // namespace neurocross
