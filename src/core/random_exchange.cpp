#include "random_exchange.hpp"

#include <algorithm>

namespace neurocross {
namespace {

constexpr double kTails = 0.5;     // of the exchanges swap everything up to the end
constexpr int kNear = 10;          // neighbours a new arc may lead to
constexpr int kLongestDrawn = 30;  // cities of the first stretch
constexpr int kLongestWalk = 60;   // cities of the second

}  // namespace

bool RandomExchange::propose(const Plan& plan, int city, Random& random) {
  const int depots = plan.instance().depots();
  // A random near neighbour of a node that is on another route than `route`, or on `route`.
  const auto near = [&](int node) {
    const auto others = neighbours_.of(node);
    const int other = others[random.below(std::min<int>(kNear, static_cast<int>(others.size())))];
    return other < depots ? -1 : other;
  };
  const int first_b = near(city);
  if (first_b < 0 || plan.route(first_b) == plan.route(city)) return false;
  const int a = plan.route(city), b = plan.route(first_b);
  int last_a = city, last_b = plan.previous(plan.depot(b));
  if (random.unit() < kTails) {
    last_a = plan.previous(plan.depot(a));
  } else {
    for (int steps = random.below(kLongestDrawn); steps > 0 && !plan.is_depot(plan.next(last_a)); --steps)
      last_a = plan.next(last_a);
    const int after_a = plan.next(last_a);
    if (!plan.is_depot(after_a)) {
      last_b = near(after_a);
      if (last_b < 0 || plan.route(last_b) != b) return false;
      int walk = 0;
      for (int u = first_b; u != last_b; u = plan.next(u))
        if (++walk == kLongestWalk || plan.is_depot(u)) return false;
    }
  }
  a_ = measured(plan, a, city, last_a);
  b_ = measured(plan, b, plan.previous(first_b), last_b);
  return true;
}

RandomExchange::Stretch RandomExchange::measured(const Plan& plan, int route, int before, int last) {
  Stretch stretch{route, before, last, 0.0, 0.0};
  for (int u = before; u != last;) {
    u = plan.next(u);
    stretch.load += plan.instance().demand(u);
    if (u != last) stretch.inside += plan.to_next(u);
  }
  return stretch;
}

// Length of a route whose stretch `out` gives way to the stretch `in` of another.
double RandomExchange::length_after(const Plan& plan, const Stretch& out, const Stretch& in) {
  const int after = plan.next(out.last);
  double length = plan.length(out.route) - plan.to_next(out.before);
  if (out.last != out.before) length -= out.inside + plan.to_next(out.last);
  if (in.last == in.before) return length + plan.link(out.route, out.before, after);
  return length + plan.link(out.route, out.before, plan.next(in.before)) + in.inside +
         plan.link(out.route, in.last, after);
}

double RandomExchange::change(const Plan& plan, const RouteCost& cost) const {
  const Instance& in = plan.instance();
  const double load_a = plan.load(a_.route) - a_.load + b_.load,
               load_b = plan.load(b_.route) - b_.load + a_.load;
  return cost.of(in.vehicle(a_.route), length_after(plan, a_, b_), load_a) - cost.of(plan, a_.route) +
         cost.of(in.vehicle(b_.route), length_after(plan, b_, a_), load_b) - cost.of(plan, b_.route);
}

void RandomExchange::apply(Plan& plan) {
  const auto take_out = [&](const Stretch& stretch, std::vector<int>& cities) {
    cities.clear();
    for (int u = stretch.before; u != stretch.last;) cities.push_back(u = plan.next(u));
    for (int u : cities) plan.remove(u);
  };
  const auto put_in = [&](int after, const std::vector<int>& cities) {
    for (int u : cities) plan.insert(u, after), after = u;
  };
  take_out(a_, from_a_);
  take_out(b_, from_b_);
  put_in(a_.before, from_b_);
  put_in(b_.before, from_a_);
}

}  // namespace neurocross
