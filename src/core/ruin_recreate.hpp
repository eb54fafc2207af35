// Slack induction by string removals (Christiaens and Vanden Berghe, 2020), for any route cost:
// strings of cities near a seed leave their routes and come back one by one where they cost least.
#pragma once

#include <span>
#include <vector>

#include "neighbours.hpp"
#include "plan.hpp"
#include "random.hpp"
#include "route_cost.hpp"

namespace neurocross {

class RuinRecreate {
 public:
  RuinRecreate(const Instance& instance, const Neighbours& neighbours);

  // Vehicles by kind: those that differ in nothing.
  const std::vector<std::vector<int>>& kinds() const { return kinds_; }

  // Removes strings of cities around `seed`.
  void ruin(Plan& plan, int seed, Random& random);
  // Inserts what `ruin` removed.
  void recreate(Plan& plan, const RouteCost& cost, Random& random);
  // Inserts the given cities, each where it costs least; where limits can be kept, they are.
  void insert(Plan& plan, const RouteCost& cost, std::span<const int> cities);

 private:
  void remove_string(Plan& plan, int city, int length, Random& random);
  void sort_removed(Random& random);
  // The cheapest place for a city: the node it goes behind. Places are overlooked with probability
  // `blink`.
  int best_place(const Plan& plan, const RouteCost& cost, int city, Random* blink);
  void consider(const Plan& plan, int city, int after) {
    offer(plan.route(after), plan.insertion(city, after), after);
  }
  void consider_beside(const Plan& plan, int city, int near, double distance, Random* blink);
  void consider_at_depot(const Plan& plan, int city, int depot, Random* blink);
  void consider_at_depots(const Plan& plan, int city, Random* blink);
  void consider_near(const Plan& plan, int city, Random* blink);
  void offer(int r, double grows, int after);
  double best_on(int r) const { return places_[r].found_for == insertion_ ? places_[r].grows : kInfinity; }
  bool overlooked(Random* blink);
  void consider_everywhere(const Plan& plan, int city);
  void consider_unused(const Plan& plan, int city, Random* blink);
  int cheapest(const Plan& plan, const RouteCost& cost, int city, bool keep_limits,
               bool& within_limits) const;

  const Instance& in_;
  const Neighbours& neighbours_;
  std::vector<double> remoteness_;  // of a city from the nearest depot
  std::vector<std::vector<int>> kinds_;
  std::vector<int> removed_, string_, ruined_;

  // Best place found on each route for the city at hand.
  struct Place {
    double grows;
    int after;
    unsigned found_for;
  };
  std::vector<Place> places_;
  std::vector<int> routes_;
  unsigned insertion_ = 0;
  bool at_depots_ = false;  // this recreate also looks at every route's first and last arc
  int until_blink_ = 0;     // places still seen before one is overlooked
};

}  // namespace neurocross
