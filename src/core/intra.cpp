#include "intra.hpp"

#include <algorithm>

namespace neurocross {
namespace {

constexpr int kLongestMoved = 3;

// Gains below this part of what is compared are rounding noise.
constexpr double kNoise = 1e-12;

// A route with its lengths driven forwards and backwards.
class Line {
 public:
  Line(const Instance& instance, int vehicle, std::vector<int>& cities)
      : in_(instance), vehicle_(vehicle), cities_(cities), n_(static_cast<int>(cities.size())) {
    there_.resize(n_ + 1);
    back_.resize(n_ + 1);
    measure();
  }

  int size() const { return n_; }
  // Node at position 0 (start depot), 1 .. n (cities).
  int at(int k) const { return k == 0 ? in_.vehicle(vehicle_).start : cities_[k - 1]; }
  // From a node to the node at position k, or to the end if k is behind the last city.
  double to(int from, int k) const { return k <= n_ ? in_.arc(from, at(k)) : in_.back(vehicle_, from); }
  double arc(int u, int v) const { return in_.arc(u, v); }
  // Length of positions i .. j driven forwards, and backwards.
  double inside(int i, int j) const { return there_[j] - there_[i]; }
  double reversed(int i, int j) const { return back_[j] - back_[i]; }
  // What turning positions i .. j round saves, arc by arc: differences of long sums lose the digits
  // of short arcs beside arcs so long that they forbid, and moves that only seem to gain may go in
  // circles. 0 where the gain is rounding noise.
  double gain_of_reversal(int i, int j) const {
    double now = to(at(i - 1), i), then = arc(at(i - 1), at(j));
    for (int k = i; k < j; ++k) now += arc(at(k), at(k + 1));
    for (int k = j; k > i; --k) then += arc(at(k), at(k - 1));
    now += to(at(j), j + 1), then += to(at(i), j + 1);
    return then < now - kNoise * now ? now - then : 0.0;
  }

  void reverse(int i, int j) {
    std::reverse(cities_.begin() + i - 1, cities_.begin() + j);
    measure();
  }
  // Positions i .. j go behind position k, which is outside of them.
  void move(int i, int j, int k, bool turned) {
    auto first = cities_.begin() + i - 1, last = cities_.begin() + j;
    if (turned) std::reverse(first, last);
    if (k < i)
      std::rotate(cities_.begin() + k, first, last);
    else
      std::rotate(first, last, cities_.begin() + k);
    measure();
  }

 private:
  void measure() {
    there_[0] = back_[0] = 0.0;
    for (int k = 1; k <= n_; ++k) {
      there_[k] = there_[k - 1] + in_.arc(at(k - 1), at(k));
      back_[k] = back_[k - 1] + in_.arc(at(k), at(k - 1));
    }
  }

  const Instance& in_;
  const int vehicle_;
  std::vector<int>& cities_;
  const int n_;
  std::vector<double> there_, back_;
};

}  // namespace

double two_opt(const Instance& instance, int vehicle, std::vector<int>& cities, double tolerance,
               const Deadline& deadline) {
  Line line(instance, vehicle, cities);
  const int n = line.size();
  double saved = 0.0;
  for (bool improved = true; improved;) {
    improved = false;
    for (int i = 1; i < n; ++i) {
      if (deadline.passed()) return saved;
      for (int j = i + 1; j <= n; ++j) {
        const double now = line.to(line.at(i - 1), i) + line.inside(i, j) + line.to(line.at(j), j + 1);
        const double then =
            line.arc(line.at(i - 1), line.at(j)) + line.reversed(i, j) + line.to(line.at(i), j + 1);
        if (!(then < now - tolerance)) continue;
        if (const double gain = line.gain_of_reversal(i, j); gain > tolerance) {
          line.reverse(i, j);
          saved += gain;
          improved = true;
        }
      }
    }
  }
  return saved;
}

double or_opt(const Instance& instance, int vehicle, std::vector<int>& cities, double tolerance,
              const Deadline& deadline) {
  Line line(instance, vehicle, cities);
  const int n = line.size();
  double saved = 0.0;
  for (bool improved = true; improved;) {
    improved = false;
    for (int i = 1; i <= n; ++i) {
      if (deadline.passed()) return saved;
      for (int j = i; j < std::min(i + kLongestMoved, n + 1) && j - i + 1 < n; ++j) {
        const double cut = line.to(line.at(i - 1), i) + line.to(line.at(j), j + 1);
        const double gain = cut - line.to(line.at(i - 1), j + 1);
        double ahead = 0.0, turned_round = 0.0;
        for (int k = i; k < j; ++k) {
          ahead += line.arc(line.at(k), line.at(k + 1));
          turned_round += line.arc(line.at(k + 1), line.at(k));
        }
        const double turn = turned_round - ahead;
        int best_k = -1;
        bool best_turned = false;
        double best = tolerance;
        for (int k = 0; k <= n; ++k) {
          if (k >= i - 1 && k <= j) continue;
          const double open = line.to(line.at(k), k + 1);
          const double as_is = gain + open - line.arc(line.at(k), line.at(i)) - line.to(line.at(j), k + 1);
          const double turned =
              gain - turn + open - line.arc(line.at(k), line.at(j)) - line.to(line.at(i), k + 1);
          const double least = std::max(best, kNoise * (cut + ahead + open));
          if (as_is > least) best = as_is, best_k = k, best_turned = false;
          if (turned > std::max(best, least)) best = turned, best_k = k, best_turned = true;
        }
        if (best_k >= 0) {
          line.move(i, j, best_k, best_turned);
          saved += best;
          improved = true;
        }
      }
    }
  }
  return saved;
}

double two_opt_and_or_opt(const Instance& instance, int vehicle, std::vector<int>& cities, double tolerance,
                          const Deadline& deadline) {
  double saved = two_opt(instance, vehicle, cities, tolerance, deadline);
  for (;;) {
    const double moved = or_opt(instance, vehicle, cities, tolerance, deadline);
    const double turned = moved > 0.0 ? two_opt(instance, vehicle, cities, tolerance, deadline) : 0.0;
    saved += moved + turned;
    if (turned == 0.0) return saved;
  }
}

std::vector<int> nearest_neighbour(const Instance& instance, int vehicle, std::vector<int> cities) {
  int at = instance.vehicle(vehicle).start;
  for (auto next = cities.begin(); next != cities.end(); ++next) {
    double least = kInfinity;
    auto nearest = next;
    for (auto it = next; it != cities.end(); ++it)
      if (const double d = instance.arc(at, *it); d < least) least = d, nearest = it;
    std::iter_swap(next, nearest);
    at = *next;
  }
  return cities;
}

}  // namespace neurocross
