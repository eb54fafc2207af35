// What a route costs the search: the plan's cost is the sum over its routes.
#pragma once

#include <algorithm>

#include "plan.hpp"

namespace neurocross {

// minsum: the length. minmax: a soft maximum, scale * soft((length - reference) / scale), whose
// slope is one at the reference (the longest route), rises beyond it and fades below. As the scale
// shrinks the sum comes to be ruled by the longest routes alone; while it is wide, long and short
// routes trade cities freely. Limits are soft too: what exceeds them costs `penalty`.
struct RouteCost {
  Objective objective = Objective::minsum;
  double reference = 0.0, scale = 1.0;
  double load_penalty = 0.0, length_penalty = 0.0;  // for a unit of excess

  // Convex and smooth, close to the exponential around 0, with a tail that keeps some weight on
  // short routes, and straight far above it, where limits must still be able to outweigh it. No libm,
  // so that every machine searches alike.
  static double soft(double x) {
    if (x < 0.0) return 1.0 / (1.0 - x + 0.5 * x * x);
    return x < 10.0 ? 1.0 + x + 0.5 * x * x : 61.0 + 11.0 * (x - 10.0);
  }

  double of(const Vehicle& vehicle, double length, double load) const {
    double cost = objective == Objective::minsum ? length : scale * soft((length - reference) / scale);
    if (load > vehicle.capacity) cost += load_penalty * (load - vehicle.capacity);
    if (length > vehicle.max_length) cost += length_penalty * (length - vehicle.max_length);
    return cost;
  }
  double of(const Plan& plan, int r) const {
    return of(plan.instance().vehicle(r), plan.length(r), plan.load(r));
  }
};

}  // namespace neurocross
