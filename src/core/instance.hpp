// The problem as the hot loops see it: arcs, ways back, loads and limits on flat arrays.
#pragma once

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace neurocross {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Two values closer than this part of them are the same: above the rounding noise of sums of a
// thousand lengths, below anything a plan could care about.
inline constexpr double kTie = 1e-12;

enum class Metric : std::uint8_t { matrix, euclidean, manhattan, haversine, att, geo };
enum class Rounding : std::uint8_t { none, nearest, ceil };
enum class Objective : std::uint8_t { minmax, minsum };

// A moment at which to stop; the default never comes.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(double seconds_from_now) {
    if (seconds_from_now < 1e9) {
      limited_ = true;
      at_ = Clock::now() +
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds_from_now));
    }
  }
  bool passed() const { return limited_ && Clock::now() >= at_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool limited_ = false;
  Clock::time_point at_{};
};

struct Vehicle {
  int start;          // node
  int end_class;      // row of the ways back
  double capacity;    // infinity if none
  double max_length;  // infinity if none
};

// Nodes 0 .. depots-1 are depots, the others cities. Service time is folded into the arc that
// enters a city: arc(u, v) = d(u, v) + service(v); the way back carries none.
class Instance {
 public:
  Instance(int nodes, int depots, Metric metric, Rounding rounding, std::vector<double> coords,
           std::vector<double> matrix, std::vector<double> service, std::vector<double> demand,
           std::vector<Vehicle> vehicles, std::vector<std::vector<int>> end_classes);

  int nodes() const { return nodes_; }
  int depots() const { return depots_; }
  int vehicles() const { return static_cast<int>(vehicles_.size()); }
  const Vehicle& vehicle(int v) const { return vehicles_[v]; }
  double demand(int node) const { return demand_[node]; }
  double service(int node) const { return service_[node]; }
  bool has_demand() const { return has_demand_; }
  // True where arc(u, v) == arc(v, u) for all nodes: one table of distances then serves both ways.
  bool symmetric() const { return symmetric_; }
  // True where distances, service apart, are the same both ways: a route may then be turned round.
  bool two_way() const { return two_way_; }
  // Points whose straight-line distances rank nodes as the metric does, nearly; only of coordinates.
  std::vector<std::array<double, 3>> points() const;

  double arc(int u, int v) const {
    if (!dense_.empty()) return dense_[static_cast<std::size_t>(u) * nodes_ + v];
    return (straight_ ? straight(u, v) : distance(u, v)) + service_[v];
  }
  // The dense row of a node, or null where arcs are computed from coordinates.
  const double* row(int u) const {
    return dense_.empty() ? nullptr : dense_.data() + static_cast<std::size_t>(u) * nodes_;
  }
  double distance(int u, int v) const;  // as the metric has it, without service

  // Cheapest way from a node to an end the vehicle may use; 0 if its route is open.
  double back(int vehicle, int node) const {
    return back_[static_cast<std::size_t>(vehicles_[vehicle].end_class) * nodes_ + node];
  }
  // The depot that way leads to, -1 if the route is open.
  int end_depot(int vehicle, int node) const {
    return end_[static_cast<std::size_t>(vehicles_[vehicle].end_class) * nodes_ + node];
  }
  // Length of a route; an unused vehicle costs nothing.
  double length(int vehicle, std::span<const int> cities) const;
  double load(std::span<const int> cities) const;
  bool keeps_limits(int vehicle, std::span<const int> cities) const {
    return load(cities) <= vehicles_[vehicle].capacity &&
           length(vehicle, cities) <= vehicles_[vehicle].max_length;
  }

 private:
  double straight(int u, int v) const {
    const double* a = coords_.data() + 2 * static_cast<std::size_t>(u);
    const double* b = coords_.data() + 2 * static_cast<std::size_t>(v);
    const double dx = a[0] - b[0], dy = a[1] - b[1];
    return std::sqrt(dx * dx + dy * dy);
  }

  int nodes_, depots_;
  Metric metric_;
  Rounding rounding_;
  bool has_demand_ = false, symmetric_ = true, two_way_ = true;
  bool straight_ = false;       // distances are plain Euclid: no switch in the hot loops
  std::vector<double> coords_;  // x, y by node; haversine and geo: radians
  std::vector<double> dense_;   // arcs; empty above kDenseLimit nodes without a given matrix
  std::vector<double> service_, demand_;
  std::vector<Vehicle> vehicles_;
  std::vector<double> back_;
  std::vector<int> end_;
};

// Above this many nodes distances are computed from coordinates: a larger table no longer fits
// the cache, and at 10,000 nodes no longer the memory.
inline constexpr int kDenseLimit = 2000;

}  // namespace neurocross
