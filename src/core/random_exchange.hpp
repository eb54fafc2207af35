// CROSS exchange as a random step of the search: two stretches of neighbouring routes, or their whole
// tails, change places. It moves what ruin and recreate cannot: the border between two long routes.
#pragma once

#include <vector>

#include "neighbours.hpp"
#include "plan.hpp"
#include "random.hpp"
#include "route_cost.hpp"

namespace neurocross {

class RandomExchange {
 public:
  explicit RandomExchange(const Neighbours& neighbours) : neighbours_(neighbours) {}

  // Draws an exchange that joins `city` to a near city of another route; false if there is none.
  bool propose(const Plan& plan, int city, Random& random);
  // What the plan's cost grows by.
  double change(const Plan& plan, const RouteCost& cost) const;
  void apply(Plan& plan);

 private:
  // The cities behind `before` up to `last`; none if the two are the same.
  struct Stretch {
    int route, before, last;
    double inside, load;
  };
  static Stretch measured(const Plan& plan, int route, int before, int last);
  static double length_after(const Plan& plan, const Stretch& out, const Stretch& in);

  const Neighbours& neighbours_;
  Stretch a_{}, b_{};
  std::vector<int> from_a_, from_b_;
};

}  // namespace neurocross
