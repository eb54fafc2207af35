#include "bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace neurocross {
namespace {

// Vehicles that differ in neither start nor end rule are one to the bounds: the first stands for all.
std::map<std::pair<int, int>, int> kinds_of_vehicle(const Instance& instance) {
  std::map<std::pair<int, int>, int> kinds;
  for (int k = 0; k < instance.vehicles(); ++k)
    kinds.try_emplace({instance.vehicle(k).start, instance.vehicle(k).end_class}, k);
  return kinds;
}

// Dijkstra over the cities. In: each city's direct way; out: its shortest, or a lower bound on it.
// After `settle` cities the search ends: the others are at least as far as the last one settled,
// and at least their direct way less `detour_gain`.
template <class Arc>  // arc(settled, other): the way between them, in the direction of the search
std::vector<double> shortest(std::vector<double> way, double detour_gain, int settle, Arc arc) {
  std::vector<std::pair<double, int>> open;
  for (std::size_t c = 0; c < way.size(); ++c) open.emplace_back(way[c], static_cast<int>(c));
  double radius = 0;
  auto nearest = std::min_element(open.begin(), open.end());
  for (; !open.empty() && settle > 0; --settle) {
    const int city = nearest->second;
    way[city] = radius = nearest->first;
    *nearest = open.back();
    open.pop_back();
    nearest = open.begin();
    for (auto other = open.begin(); other != open.end(); ++other) {
      other->first = std::min(other->first, radius + arc(city, other->second));
      if (other->first < nearest->first) nearest = other;
    }
  }
  for (const auto& [so_far, city] : open)
    way[city] = std::min(so_far, std::max(radius, way[city] - detour_gain));
  return way;
}

}  // namespace

std::vector<double> round_trips(const Instance& instance, double detour_gain, double arc_budget) {
  const int depots = instance.depots(), cities = instance.nodes() - depots;
  const auto kinds = kinds_of_vehicle(instance);
  std::map<int, std::vector<double>> out, in;  // by start, by end class
  for (const auto& [kind, k] : kinds) out[kind.first], in[kind.second];
  double settle = arc_budget / (static_cast<double>(out.size() + in.size()) * (cities + 1.0));
  settle = std::min(settle, static_cast<double>(cities));
  // A search that cannot be finished is not begun where direct ways tell nearly as much.
  if (detour_gain == 0 || (settle < cities && detour_gain < kInfinity)) settle = 0;

  for (const auto& [kind, k] : kinds) {
    std::vector<double> direct(cities);
    if (auto& way = out[kind.first]; way.empty()) {
      for (int c = 0; c < cities; ++c) direct[c] = instance.arc(kind.first, depots + c);
      way = shortest(direct, detour_gain, static_cast<int>(settle),
                     [&](int at, int next) { return instance.arc(depots + at, depots + next); });
    }
    if (auto& way = in[kind.second]; way.empty()) {
      for (int c = 0; c < cities; ++c) direct[c] = instance.back(k, depots + c);
      way = shortest(direct, detour_gain, static_cast<int>(settle),
                     [&](int at, int before) { return instance.arc(depots + before, depots + at); });
    }
  }
  std::vector<double> trips(cities, kInfinity);
  for (const auto& [kind, k] : kinds)
    for (int c = 0; c < cities; ++c) trips[c] = std::min(trips[c], out[kind.first][c] + in[kind.second][c]);
  for (double& trip : trips) trip *= 1 - 1e-12;  // sums along a path are rounded at each of its arcs
  return trips;
}

namespace {

// Steps of the climb before it looks back, and the hope, as a part of the scale, not worth a step.
constexpr int kRound = 20;
constexpr double kLeastHope = 1e-6;

struct Edge {
  int u, v;
  double length;
};

// What the trees know of the distances between cities: the nearest neighbours' exactly, and of
// every other pair (u, v) that it is at least max(radius[u], radius[v]) long.
struct Surroundings {
  std::vector<Edge> edges;
  std::vector<double> radius;  // infinite if a city's edges are all there
};

Surroundings surroundings(const Instance& instance, int neighbours, std::span<const double> places,
                          const Deadline& deadline) {
  const int depots = instance.depots(), cities = instance.nodes() - depots;
  const bool both_ways = !instance.symmetric() && places.empty();
  const auto length = [&](int u, int v) {
    const double there = instance.distance(depots + u, depots + v);
    return both_ways ? std::min(there, instance.distance(depots + v, depots + u)) : there;
  };
  const auto gap = [&](int u, int v) { return places.empty() ? 0.0 : std::abs(places[u] - places[v]); };
  std::vector<int> order(cities);
  std::iota(order.begin(), order.end(), 0);
  if (!places.empty())
    std::sort(order.begin(), order.end(), [&](int a, int b) { return places[a] < places[b]; });

  // A city the time does not suffice for keeps radius 0 and no neighbours: true of any city.
  Surroundings found{{}, std::vector<double>(cities, 0.0)};
  std::vector<std::pair<double, int>> nearest;  // a heap, the farthest on top
  for (int at = 0; at < cities && !deadline.passed(); ++at) {
    const int city = order[at];
    nearest.clear();
    for (int left = at - 1, right = at + 1; left >= 0 || right < cities;) {
      const double gap_left = left >= 0 ? gap(city, order[left]) : kInfinity;
      const double gap_right = right < cities ? gap(city, order[right]) : kInfinity;
      const bool full = static_cast<int>(nearest.size()) == neighbours;
      if (full && std::min(gap_left, gap_right) >= nearest.front().first) break;
      const int other = order[gap_left <= gap_right ? left-- : right++];
      const double d = length(city, other);
      if (full && d >= nearest.front().first) continue;
      if (full) std::pop_heap(nearest.begin(), nearest.end()), nearest.pop_back();
      nearest.emplace_back(d, other);
      std::push_heap(nearest.begin(), nearest.end());
    }
    found.radius[city] = cities - 1 <= neighbours ? kInfinity : nearest.front().first;
    for (const auto& [d, other] : nearest)
      found.edges.push_back({std::min(city, other), std::max(city, other), d});
  }
  const auto ends = [](const Edge& e) { return std::pair(e.u, e.v); };
  std::sort(found.edges.begin(), found.edges.end(),
            [&](const Edge& a, const Edge& b) { return ends(a) < ends(b); });
  const auto last = std::unique(found.edges.begin(), found.edges.end(),
                                [&](const Edge& a, const Edge& b) { return ends(a) == ends(b); });
  found.edges.erase(last, found.edges.end());
  return found;
}

// Fewest vehicles that carry all demand.
int fewest_routes(const Instance& instance) {
  double left = 0;
  for (int node = 0; node < instance.nodes(); ++node) left += instance.demand(node);
  left *= 1 - 1e-12;  // demand and loads are summed in different orders
  std::vector<double> capacity;
  for (int k = 0; k < instance.vehicles(); ++k) capacity.push_back(instance.vehicle(k).capacity);
  std::sort(capacity.rbegin(), capacity.rend());
  int used = 1;
  while (used < instance.vehicles() && (left -= capacity[used - 1]) > 0) ++used;
  return used;
}

// The plans' relaxation. A plan of r routes is, directions left out and all depots merged into one,
//   a spanning tree of the cities and the depot that leaves the depot r times (the ways out and
//   between cities), and r ways in, from different cities;
//   and every city has two arcs in all.
// The least tree and the least r ways in, with the price pi on each arc's end at a city and
// 2 pi paid back for each city, are a lower bound for any prices: a plan's own cost does not
// change. The least over the possible r bounds the total; the least of the r-th part, the longest
// route, since one of r routes is at least their mean.
class Relaxation {
 public:
  Relaxation(const Instance& instance, Objective objective, int neighbours, std::span<const double> places,
             const Deadline& deadline)
      : cities_(instance.nodes() - instance.depots()),
        per_route_(objective == Objective::minmax),
        most_(std::min(instance.vehicles(), cities_)),
        fewest_(std::min(fewest_routes(instance), most_)),
        around_(surroundings(instance, neighbours, places, deadline)),
        out_(cities_, kInfinity),
        in_(cities_, kInfinity) {
    std::set<int> starts, end_classes;
    for (const auto& [kind, k] : kinds_of_vehicle(instance)) {
      const bool new_start = starts.insert(kind.first).second;
      const bool new_end = end_classes.insert(kind.second).second;
      for (int c = 0; c < cities_; ++c) {
        const int node = instance.depots() + c;
        if (new_start) out_[c] = std::min(out_[c], instance.distance(kind.first, node));
        if (new_end) in_[c] = std::min(in_[c], instance.back(k, node));
      }
    }
    for (int c = 0; c < cities_; ++c) service_ += instance.service(instance.depots() + c);
    if (*std::min_element(around_.radius.begin(), around_.radius.end()) < kInfinity) star_.resize(cities_);
  }

  // The bound of the objective at these prices, rounding errors taken off; `slope` becomes its
  // slope in each price.
  double at(const std::vector<double>& price, std::vector<double>& slope) {
    grow_tree(price);
    std::sort(swaps_.begin(), swaps_.end(), [](const Swap& a, const Swap& b) { return a.cost < b.cost; });
    ways_in_.resize(cities_);
    for (int c = 0; c < cities_; ++c) ways_in_[c] = {in_[c] + price[c], c};
    std::partial_sort(ways_in_.begin(), ways_in_.begin() + most_, ways_in_.end());

    double least = kInfinity;
    int routes = fewest_;
    double sum = tree_.sum + service_, size = tree_.size + service_;
    for (double p : price) sum -= 2 * p, size += 2 * std::abs(p);
    for (int r = 1; r <= most_; ++r) {
      const double more = ways_in_[r - 1].first, swap = r > 1 ? swaps_[r - 2].cost : 0.0;
      sum += more + swap;
      size += std::abs(more) + std::abs(swap);
      if (r < fewest_) continue;
      // No more than eps * size is lost at each of the additions, some of them inside a term.
      const double sure = sum - 2.3e-16 * (5.0 * cities_ + 8) * size;
      if (const double bound = per_route_ ? sure / r : sure; bound < least) least = bound, routes = r;
    }

    std::fill(slope.begin(), slope.end(), -2.0);
    for (const Edge& e : tree_.edges) slope[e.u] += 1, slope[e.v] += 1;
    slope[tree_.first_out] += 1;
    for (int r = 1; r <= routes; ++r) {
      slope[ways_in_[r - 1].second] += 1;
      if (r > 1) {
        const Swap& swap = swaps_[r - 2];
        slope[tree_.edges[swap.edge].u] -= 1, slope[tree_.edges[swap.edge].v] -= 1;
        slope[swap.city] += 1;
      }
    }
    if (per_route_)
      for (double& s : slope) s /= routes;
    return least;
  }

  int cities() const { return cities_; }
  double longest_way_out() const { return *std::max_element(out_.begin(), out_.end()); }

 private:
  // Kruskal over the cities; beside it, what each further way out of the depot costs.
  //
  // Joining two parts by an edge makes one of their two cheapest ways out superfluous, the dearer
  // one. Undoing just that (edge out, way out in) is the swap of this edge, and the least tree
  // that leaves the depot r times is the least that leaves it once after the r-1 cheapest swaps:
  // at a charge x for leaving the depot, the edge is in the least tree exactly if it costs less
  // than that way out and x, so the trees of rising r are those of falling charges.
  void grow_tree(const std::vector<double>& price) {
    offers_.clear();
    const auto offer = [&](const Edge& e, int i) {
      offers_.push_back({e.length + price[e.u] + price[e.v], i});
    };
    for (std::size_t i = 0; i < around_.edges.size(); ++i) offer(around_.edges[i], static_cast<int>(i));
    lay_star(price);
    for (std::size_t i = 0; i < star_.size(); ++i) offer(star_[i], -1 - static_cast<int>(i));

    part_.resize(cities_);
    way_out_.resize(cities_);
    for (int c = 0; c < cities_; ++c) part_[c] = c, way_out_[c] = {out_[c] + price[c], c};
    tree_ = {};
    swaps_.clear();
    std::size_t sorted = 0;
    for (std::size_t next = 0; static_cast<int>(tree_.edges.size()) < cities_ - 1; ++next) {
      if (next == sorted) sorted = sort_some(sorted);
      const auto [cost, i] = offers_[next];
      const Edge& e = i >= 0 ? around_.edges[i] : star_[-1 - i];
      int a = part_of(e.u), b = part_of(e.v);
      if (a == b) continue;
      if (way_out_[b] < way_out_[a]) std::swap(a, b);
      part_[b] = a;  // the part with the cheaper way out goes on
      swaps_.push_back({way_out_[b].first - cost, static_cast<int>(tree_.edges.size()), way_out_[b].second});
      tree_.edges.push_back(e);
      tree_.sum += cost, tree_.size += std::abs(cost);
    }
    const auto& first = way_out_[part_of(0)];
    tree_.first_out = first.second;
    tree_.sum += first.first, tree_.size += std::abs(first.first);
  }

  // Puts the next cheapest offers in order, from the `sorted`-th on, and tells how many then are:
  // the tree rarely needs more than the first few of each city.
  std::size_t sort_some(std::size_t sorted) {
    const std::size_t until = std::min(sorted + 3 * static_cast<std::size_t>(cities_), offers_.size());
    const auto from = offers_.begin() + sorted, to = offers_.begin() + until;
    if (to != offers_.end()) std::nth_element(from, to, offers_.end());
    std::sort(from, to);
    return until;
  }

  // Pairs that are no neighbours are at least (radius[u] + radius[v]) / 2 apart, so with prices at
  // least f(u) + f(v), f = radius / 2 + price. Of edges that cost just that, the least tree is the
  // star around the city z of least f: f(u) + f(z) and f(z) + f(v) are no dearer than f(u) + f(v).
  // Offering this star to the tree stands for all pairs that are not kept.
  void lay_star(const std::vector<double>& price) {
    if (star_.empty()) return;
    int centre = 0;
    for (int c = 1; c < cities_; ++c)
      if (around_.radius[c] / 2 + price[c] < around_.radius[centre] / 2 + price[centre]) centre = c;
    for (int c = 0; c < cities_; ++c)
      star_[c] = {c, centre, (around_.radius[c] + around_.radius[centre]) / 2};
  }

  int part_of(int c) {
    while (part_[c] != c) c = part_[c] = part_[part_[c]];
    return c;
  }

  struct Swap {
    double cost;
    int edge, city;  // the tree's edge that goes, the city that the new way out leads to
  };
  struct Tree {
    double sum = 0, size = 0;  // of the costs, of their absolute values
    int first_out = 0;
    std::vector<Edge> edges;
  };

  int cities_;
  bool per_route_;
  int most_, fewest_;  // routes
  Surroundings around_;
  std::vector<double> out_, in_;  // by city: cheapest way from any start, to any allowed end
  double service_ = 0;

  std::vector<Edge> star_;
  std::vector<std::pair<double, int>> offers_, way_out_, ways_in_;
  std::vector<int> part_;
  std::vector<Swap> swaps_;
  Tree tree_;
};

}  // namespace

TotalLengthBound total_length_bound(const Instance& instance, Objective objective, int neighbours,
                                    std::span<const double> places, double target, double seconds) {
  const Deadline deadline(seconds);
  if (instance.nodes() == instance.depots()) return {0.0, {}};
  Relaxation relaxation(instance, objective, neighbours, places, deadline);
  std::vector<double> price(relaxation.cities(), 0.0), slope(price);
  TotalLengthBound best{relaxation.at(price, slope), price};

  // The bound is concave in the prices: climb along its slope, by steps that would reach the best
  // value and `hope` more if it went on as steep. Hope is halved whenever a round of steps fulfils
  // less than a quarter of it.
  const auto scale = [&] { return std::max(best.value, relaxation.longest_way_out()); };
  double hope = 0.1 * scale();
  double value = best.value, before = best.value;
  for (int step = 1; best.value < target && !deadline.passed(); ++step) {
    if (step % kRound == 0) {
      if (best.value - before < hope / 4) hope /= 2;
      before = best.value;
    }
    const double steepness = std::inner_product(slope.begin(), slope.end(), slope.begin(), 0.0);
    if (steepness == 0 || hope <= kLeastHope * scale()) break;  // at the top, or as good as
    const double stride = (best.value + hope - value) / steepness;
    for (std::size_t c = 0; c < price.size(); ++c) price[c] += stride * slope[c];
    value = relaxation.at(price, slope);
    if (value > best.value) best = {value, price};
  }
  return best;
}

}  // namespace neurocross
