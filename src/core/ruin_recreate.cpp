#include "ruin_recreate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace neurocross {
namespace {

// As in the paper.
constexpr double kMeanRemoved = 10.0;
constexpr double kLongestString = 10.0;
constexpr double kSplit = 0.5;       // strings that leave cities in their middle behind
constexpr double kLongerGap = 0.01;  // ... one city more
constexpr double kBlink = 0.01;

// Of the recreates, for the longest route: they also look where each route leaves its depot and comes
// back. Those arcs are the longest and pass cities that have none of their ends among their neighbours.
constexpr double kAtDepots = 0.5;

// A route of at least so many cities may lose several strings at once: what is wrong with a long
// route is often between two of its own stretches.
constexpr double kLongRoute = 30.0;

}  // namespace

RuinRecreate::RuinRecreate(const Instance& instance, const Neighbours& neighbours)
    : in_(instance), neighbours_(neighbours), places_(instance.vehicles(), Place{0.0, -1, 0}) {
  remoteness_.assign(instance.nodes(), 0.0);
  for (int c = instance.depots(); c < instance.nodes(); ++c) {
    remoteness_[c] = kInfinity;
    for (int d = 0; d < instance.depots(); ++d) remoteness_[c] = std::min(remoteness_[c], instance.arc(d, c));
  }
  std::map<std::tuple<int, int, double, double>, std::vector<int>> groups;
  for (int r = 0; r < instance.vehicles(); ++r) {
    const Vehicle& v = instance.vehicle(r);
    groups[{v.start, v.end_class, v.capacity, v.max_length}].push_back(r);
  }
  for (auto& [rules, vehicles] : groups) kinds_.push_back(std::move(vehicles));
}

void RuinRecreate::ruin(Plan& plan, int seed, Random& random) {
  removed_.clear();
  ruined_.clear();
  const double mean_size =
      static_cast<double>(in_.nodes() - in_.depots()) / std::max<std::size_t>(1, plan.used().size());
  const double longest = std::clamp(mean_size, 1.0, kLongestString);
  const double most = 4.0 * kMeanRemoved / (1.0 + longest) - 1.0;
  const int strings = static_cast<int>(1.0 + random.unit() * most);
  const auto remove_around = [&](int city) {
    const int r = plan.route(city);
    if (r < 0) return;
    if (plan.size(r) < kLongRoute && std::find(ruined_.begin(), ruined_.end(), r) != ruined_.end()) return;
    const double top = std::min(longest, static_cast<double>(plan.size(r)));
    remove_string(plan, city, static_cast<int>(1.0 + random.unit() * top), random);
    ruined_.push_back(r);
  };
  remove_around(seed);
  for (int city : neighbours_.of(seed)) {
    if (static_cast<int>(ruined_.size()) >= strings) break;
    if (city >= in_.depots()) remove_around(city);
  }
}

// A string of `length` cities that contains `city`, at a random place in it; sometimes a longer one
// that keeps cities in its middle.
void RuinRecreate::remove_string(Plan& plan, int city, int length, Random& random) {
  const int size = plan.size(plan.route(city));
  length = std::min(length, size);
  int gap = 0;
  if (length > 1 && length < size && random.unit() < kSplit)
    for (gap = 1; length + gap < size && random.unit() < kLongerGap;) ++gap;
  const int whole = length + gap;
  int first = city;
  for (int back = random.below(whole); back > 0 && !plan.is_depot(plan.previous(first)); --back)
    first = plan.previous(first);
  string_.clear();
  for (int u = first; static_cast<int>(string_.size()) < whole && !plan.is_depot(u); u = plan.next(u))
    string_.push_back(u);
  for (int u = plan.previous(first); static_cast<int>(string_.size()) < whole && !plan.is_depot(u);
       u = plan.previous(u))
    string_.push_back(u);
  const int kept = gap ? 1 + random.below(length - 1) : 0;
  for (int k = 0; k < static_cast<int>(string_.size()); ++k) {
    if (gap && k >= kept && k < kept + gap) continue;
    plan.remove(string_[k]);
    removed_.push_back(string_[k]);
  }
}

void RuinRecreate::sort_removed(Random& random) {
  for (std::size_t k = removed_.size(); k > 1; --k)
    std::swap(removed_[k - 1], removed_[random.below(static_cast<int>(k))]);
  const auto by = [&](auto key) {  // stable and without memory of its own: there are about ten
    for (std::size_t k = 1; k < removed_.size(); ++k)
      for (std::size_t i = k; i > 0 && key(removed_[i]) < key(removed_[i - 1]); --i)
        std::swap(removed_[i], removed_[i - 1]);
  };
  const int draw = random.below(in_.has_demand() ? 11 : 7);
  if (draw >= 7)
    by([&](int c) { return -in_.demand(c); });
  else if (draw >= 5)
    by([&](int c) { return -remoteness_[c]; });
  else if (draw == 4)
    by([&](int c) { return remoteness_[c]; });
}

void RuinRecreate::recreate(Plan& plan, const RouteCost& cost, Random& random) {
  sort_removed(random);
  at_depots_ = cost.objective == Objective::minmax && random.unit() < kAtDepots;
  for (int city : removed_) plan.insert(city, best_place(plan, cost, city, &random));
}

void RuinRecreate::insert(Plan& plan, const RouteCost& cost, std::span<const int> cities) {
  for (int city : cities) plan.insert(city, best_place(plan, cost, city, nullptr));
}

int RuinRecreate::best_place(const Plan& plan, const RouteCost& cost, int city, Random* blink) {
  ++insertion_;
  routes_.clear();
  consider_near(plan, city, blink);
  if (at_depots_) consider_at_depots(plan, city, blink);
  consider_unused(plan, city, blink);
  // Far from a depot a penalty may be cheaper than a new route: a first plan must not begin so.
  const bool keep_limits = blink == nullptr;
  bool within_limits = false;
  int after = cheapest(plan, cost, city, keep_limits, within_limits);
  if (!within_limits) {
    consider_unused(plan, city, nullptr);
    consider_everywhere(plan, city);
    after = cheapest(plan, cost, city, keep_limits, within_limits);
  }
  return after;
}

// Draws the number of places until the next blink rather than a number for each.
bool RuinRecreate::overlooked(Random* blink) {
  if (!blink || until_blink_-- > 0) return false;
  until_blink_ = static_cast<int>(std::log(1.0 - blink->unit()) / std::log(1.0 - kBlink));
  return true;
}

void RuinRecreate::offer(int r, double grows, int after) {
  Place& place = places_[r];
  if (place.found_for != insertion_) {
    place = {grows, after, insertion_};
    routes_.push_back(r);
  } else if (grows < place.grows) {
    place.grows = grows, place.after = after;
  }
}

// Before and behind a near city.
void RuinRecreate::consider_beside(const Plan& plan, int city, int near, double distance, Random* blink) {
  const int r = plan.route(near), next = plan.next(near), previous = plan.previous(near);
  if (!in_.symmetric()) {
    if (!overlooked(blink)) consider(plan, city, near);
    if (!overlooked(blink)) consider(plan, city, previous);
    return;
  }
  const double behind = plan.to_next(near), ahead = plan.to_next(previous);
  if ((plan.is_depot(next) || 2.0 * distance - behind < best_on(r)) && !overlooked(blink))
    offer(r, distance + plan.between(r, city, next, true) - behind, near);
  if ((plan.is_depot(previous) || 2.0 * distance - ahead < best_on(r)) && !overlooked(blink))
    offer(r, distance + plan.between(r, city, previous, false) - ahead, previous);
}

// Every route can take the city in where it leaves a near depot or comes to it.
void RuinRecreate::consider_at_depot(const Plan& plan, int city, int depot, Random* blink) {
  for (int r : plan.used()) {
    if (in_.vehicle(r).start == depot && !overlooked(blink)) consider(plan, city, plan.depot(r));
    const int last = plan.previous(plan.depot(r));
    if (in_.end_depot(r, last) == depot && !overlooked(blink)) consider(plan, city, last);
  }
}

void RuinRecreate::consider_at_depots(const Plan& plan, int city, Random* blink) {
  for (int r : plan.used()) {
    if (!overlooked(blink)) consider(plan, city, plan.depot(r));
    if (!overlooked(blink)) consider(plan, city, plan.previous(plan.depot(r)));
  }
}

// Neighbours come nearest first: a place whose other side were nearer has been seen from there, so both
// new arcs are at least as long as the way to the neighbour, which rules most out.
void RuinRecreate::consider_near(const Plan& plan, int city, Random* blink) {
  const auto near = neighbours_.of(city);
  const auto distance = neighbours_.distances(city);
  const bool symmetric = in_.symmetric();
  for (std::size_t k = 0; k < near.size(); ++k) {
    if (near[k] < in_.depots()) {
      consider_at_depot(plan, city, near[k], blink);
      continue;
    }
    const int r = plan.route(near[k]);
    if (r < 0 || (symmetric && 2.0 * distance[k] - plan.reach(near[k]) >= best_on(r))) continue;
    consider_beside(plan, city, near[k], distance[k], blink);
  }
}

// With blinks, or of unlike vehicles that cost the same the first would always be taken.
void RuinRecreate::consider_unused(const Plan& plan, int city, Random* blink) {
  for (const auto& vehicles : kinds_) {
    for (int r : vehicles) {
      if (plan.size(r)) continue;
      if (!overlooked(blink)) consider(plan, city, plan.depot(r));
      break;
    }
  }
}

void RuinRecreate::consider_everywhere(const Plan& plan, int city) {
  for (int r : plan.used())
    for (int after = plan.depot(r);;) {
      consider(plan, city, after);
      after = plan.next(after);
      if (plan.is_depot(after)) break;
    }
}

int RuinRecreate::cheapest(const Plan& plan, const RouteCost& cost, int city, bool keep_limits,
                           bool& within_limits) const {
  double best = kInfinity;
  int after = -1;
  within_limits = false;
  for (int r : routes_) {
    const Vehicle& v = in_.vehicle(r);
    const double length = plan.length(r) + places_[r].grows, load = plan.load(r) + in_.demand(city);
    const double more = cost.of(v, length, load) - cost.of(plan, r);
    const bool fits = load <= v.capacity && length <= v.max_length;
    if (keep_limits && fits != within_limits ? fits : more < best) {
      best = more, after = places_[r].after;
      within_limits = fits;
    }
  }
  return after;
}

}  // namespace neurocross
