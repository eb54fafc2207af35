// Lower bounds: what no plan can beat, so that every answer comes with a proven gap.
#pragma once

#include <span>
#include <vector>

#include "instance.hpp"

namespace neurocross {

// By city, its shortest round trip: no route that visits it is shorter.
// `detour_gain` is the most that a path through other cities can undercut the direct arc:
// 0 where the triangle inequality holds, infinity where nothing is known. All shortest-path
// searches together look at about `arc_budget` arcs; what they leave open is bounded from below.
std::vector<double> round_trips(const Instance& instance, double detour_gain, double arc_budget);

struct TotalLengthBound {
  double value;                     // of the objective: the total, or the total for each route
  std::vector<double> multipliers;  // by city: anybody can recompute the value from them
};

// Spanning trees with a price on every city, raised until `target` is reached or `seconds` are
// over; every step is a valid bound. Distances to each city's nearest `neighbours` are used as they
// are, all others by a lower bound. `places` are the cities' places on a line: cities whose places
// differ by the distance of any pair, or more, are not closer than that pair. They make the search
// for neighbours quick; if there are none, it looks at every pair.
TotalLengthBound total_length_bound(const Instance& instance, Objective objective, int neighbours,
                                    std::span<const double> places, double target, double seconds);

}  // namespace neurocross
