// The search behind `--method hybrid`: ruin and recreate under annealing, with a strong tour search
// and the exact CROSS exchange on what it finds.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "cross.hpp"
#include "instance.hpp"
#include "plan.hpp"

namespace neurocross {

// When to stop: whichever comes first. An iteration is one step: an exchange, a ruin
// and recreate, or a route turned round.
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

// Orders plans: how far beyond the limits, the objective, the tie-break.
struct Key {
  double violation = kInfinity, value = kInfinity, tie = kInfinity;

  bool better_than(const Key& other, double tolerance) const {
    if (violation != other.violation && std::abs(violation - other.violation) > 1e-9)
      return violation < other.violation;
    if (std::abs(value - other.value) > tolerance) return value < other.value;
    return tie < other.tie - tolerance;
  }
};

struct Outcome {
  Tours tours;  // feasible if any plan found is, else the one least beyond its limits
  std::int64_t iterations = 0;
  std::vector<TracePoint> trace;  // of each new best value
  Stop stop = Stop::running;
  Key key;
};

struct Hooks {
  // Asked now and then with the best plan if there is a new one since, else null; true ends the search.
  std::function<bool(const Tours* new_best, const TracePoint& point)> report;
  // Finds an exchange of two tours when the best plan is polished; the exact search if not given.
  // Must depend on its arguments alone. Called by all threads.
  std::function<Exchange(Tour t1, Tour t2)> exchange;
};

// Searches from the construction or, where given, from `start`: tours by vehicle, in which cities
// may be missing; no city twice. Same seed, iterations and threads, same answer.
Outcome search(const Instance& instance, Objective objective, std::uint64_t seed, double tolerance,
               const Tours* start, const Limits& limits, const Hooks& hooks, int threads = 1);

}  // namespace neurocross
