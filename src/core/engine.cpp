#include "engine.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>
#include <utility>

#include "cross.hpp"
#include "intra.hpp"
#include "neighbours.hpp"
#include "random.hpp"
#include "random_exchange.hpp"
#include "route_cost.hpp"
#include "ruin_recreate.hpp"
#include "tsp.hpp"

namespace neurocross {
namespace {

constexpr int kNeighbours = 40;
constexpr int kNeighbourPairs = 8000;  // small problems look farther, up to so many pairs in all
constexpr std::size_t kLongestExchanged =
    400;                                // cities of two routes: beyond, the exact exchange takes too long
constexpr int kIterationsPerTick = 32;  // between looks at the clock, new temperatures
constexpr double kAnnealed = 0.98;      // of the limit; the rest is for polishing
constexpr double kSecondsPerReport = 0.05;
constexpr double kPenalty = 20.0;          // mean arcs, for an excess of a mean demand or a mean arc
constexpr double kPenaltyStep = 1.05;      // by which it grows in every tick that ends beyond a limit
constexpr double kPenaltyStepFirst = 1.3;  // ... while no plan within the limits is known
constexpr double kPenaltyMost = 1e6;

// Temperatures in mean arcs: the first, after a given start, and the last.
constexpr double kHotMinmax = 0.02;  // times the number of cities: where there are few, less heat is enough
constexpr double kLeastHotMinmax = 3.0;
constexpr double kHottestMinmax = 10.0;
constexpr double kColdMinmax = 40.0;  // over the number of cities: what heat leaves undone adds up over them
constexpr double kColdestMinmax = 0.05;
constexpr double kWarmestMinmax = 0.1;
constexpr double kHotMinsum = 1.0;
constexpr double kColdMinsum = 0.01;
constexpr double kWarm = 0.1;       // of the first temperature, where a start is given
constexpr double kSoftness = 1.0;   // scale of the soft maximum in temperatures
constexpr double kExchanged = 0.3;  // of the steps are exchanges
constexpr double kTurned = 0.003;   // ... turn a whole route round
constexpr double kOnLongest = 0.5;  // of the ruins begin on the longest route

using Clock = std::chrono::steady_clock;

class Search {
 public:
  Search(const Instance& instance, Objective objective, std::uint64_t seed, double tolerance,
         const Limits& limits, const Hooks& hooks)
      : in_(instance),
        objective_(objective),
        tolerance_(tolerance),
        limits_(limits),
        hooks_(hooks),
        began_(Clock::now()),
        deadline_(limits.seconds),
        random_(seed),
        plan_(instance),
        neighbours_(instance, std::max(kNeighbours, kNeighbourPairs / instance.nodes())),
        ruin_recreate_(instance, neighbours_),
        random_exchange_(neighbours_),
        tour_search_(instance, neighbours_, tolerance) {
    cost_.objective = objective;
  }

  Outcome run(const Tours* start) {
    construct(start);
    while (!stopped()) {
      anneal();
      if (outcome_.stop != Stop::interrupted) polish();
    }
    write_best_down();
    report();
    outcome_.tours = best_;
    outcome_.key = best_key_;
    return std::move(outcome_);
  }

 private:
  int cities() const { return in_.nodes() - in_.depots(); }
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

  // ---------------------------------------------------------------------------------------------
  // The best plan and the end of the search.

  Key key() const {
    Key key{0.0, 0.0, 0.0};
    double longest = 0.0, total = 0.0;
    for (int r : plan_.used()) {
      longest = std::max(longest, plan_.length(r));
      total += plan_.length(r);
      key.violation += plan_.excess_load(r) / mean_demand_ + plan_.excess_length(r) / mean_arc_;
    }
    key.value = objective_ == Objective::minmax ? longest : total;
    key.tie = objective_ == Objective::minmax ? total : longest;
    return key;
  }

  // Notes the plan if it is the best so far. It is written down only when the search leaves it.
  void note_best() {
    const Key now = key();
    if (!now.better_than(best_key_, tolerance_)) return;
    const bool visible = now.violation < best_key_.violation || now.value < best_key_.value - tolerance_;
    best_key_ = now;
    at_best_ = true;
    if (!visible) return;
    outcome_.trace.push_back({elapsed(), outcome_.iterations, best_key_.value});
    best_is_new_ = true;
    last_improved_ = outcome_.iterations;
    if (best_key_.violation > 0.0) return;
    if (best_key_.value <= limits_.bound + tolerance_)
      outcome_.stop = Stop::bound;
    else if (best_key_.value <= limits_.target + tolerance_)
      outcome_.stop = Stop::target;
  }

  void write_best_down() {
    if (!std::exchange(at_best_, false)) return;
    plan_.measure();
    best_key_ = key();
    best_ = plan_.tours();
  }

  bool stopped() {
    if (outcome_.stop != Stop::running) return true;
    if (outcome_.iterations >= limits_.iterations)
      outcome_.stop = Stop::iterations;
    else if (outcome_.iterations - last_improved_ >= limits_.no_improvement)
      outcome_.stop = Stop::no_improvement;
    else if (deadline_.passed())
      outcome_.stop = Stop::time;
    else if (cities() == 0)
      outcome_.stop = Stop::bound;
    return outcome_.stop != Stop::running;
  }

  void report() {
    if (!hooks_.report) return;
    const double now = elapsed();
    if (now - last_report_ < kSecondsPerReport && outcome_.stop == Stop::running) return;
    last_report_ = now;
    if (best_is_new_) write_best_down();
    const Tours* news = best_is_new_ ? &best_ : nullptr;
    best_is_new_ = false;
    if (hooks_.report(news, outcome_.trace.empty() ? TracePoint{} : outcome_.trace.back()) &&
        outcome_.stop == Stop::running)
      outcome_.stop = Stop::interrupted;
  }

  // ---------------------------------------------------------------------------------------------
  // Construction.

  void construct(const Tours* start) {
    estimate_scales();
    if (start) plan_.assign(*start);
    given_start_ = start != nullptr;
    std::vector<int> missing;
    for (int c = in_.depots(); c < in_.nodes(); ++c)
      if (plan_.route(c) < 0) missing.push_back(c);
    for (std::size_t k = missing.size(); k > 1; --k)
      std::swap(missing[k - 1], missing[random_.below(static_cast<int>(k))]);
    set_penalties();
    cost_.scale = std::max(tolerance_, mean_arc_ * cities() / in_.vehicles() / 4.0);
    cost_.reference = 0.0;
    ruin_recreate_.insert(plan_, cost_, missing);
    plan_.measure();
    note_best();
  }

  void estimate_scales() {
    double arcs = 0.0, demand = 0.0, from_depot = 0.0;
    for (int c = in_.depots(); c < in_.nodes(); ++c) {
      const auto near = neighbours_.of(c);
      if (!near.empty()) arcs += in_.arc(c, near[std::min<std::size_t>(1, near.size() - 1)]);
      demand += in_.demand(c);
      from_depot += in_.arc(0, c);
    }
    const int n = std::max(1, cities());
    // Where most neighbours are in the same place their distances say nothing about the rest.
    mean_arc_ = std::max({arcs / n, 0.02 * from_depot / n, 1e3 * tolerance_});
    mean_demand_ = demand > 0.0 ? demand / cities() : 1.0;
  }

  void set_penalties() {
    cost_.load_penalty = kPenalty * mean_arc_ / mean_demand_;
    cost_.length_penalty = kPenalty;
  }

  // ---------------------------------------------------------------------------------------------
  // Annealing.

  // How much of this annealing is over: of the whole search where its end is known in advance, else
  // of a number of iterations that doubles from one annealing to the next.
  double progress() const {
    double part = -1.0;
    if (limits_.seconds < kInfinity) part = elapsed() / (kAnnealed * limits_.seconds);
    if (limits_.iterations < std::numeric_limits<std::int64_t>::max())
      part = std::max(part, static_cast<double>(outcome_.iterations) /
                                (kAnnealed * static_cast<double>(limits_.iterations)));
    if (part >= 0.0) return part;
    return static_cast<double>(outcome_.iterations - annealing_began_) /
           static_cast<double>(annealing_length_);
  }

  void anneal() {
    const bool minmax = objective_ == Objective::minmax;
    const double first =
        minmax ? std::clamp(kHotMinmax * cities(), kLeastHotMinmax, kHottestMinmax) : kHotMinsum;
    const double last =
        minmax ? std::clamp(kColdMinmax / cities(), kColdestMinmax, kWarmestMinmax) : kColdMinsum;
    const double hot = (given_start_ ? kWarm : 1.0) * first * mean_arc_;
    const double cold = last * mean_arc_;
    const bool over = progress() >= 1.0;  // what time is left after the annealing is spent cold
    annealing_began_ = outcome_.iterations;
    annealing_length_ *= 2;
    while (!stopped()) {
      const double part = progress();
      if (part >= 1.0 && !over) return;
      const double temperature = hot * std::pow(cold / hot, std::min(1.0, part));
      cost_.scale = kSoftness * temperature;
      cost_.reference = longest();
      for (int k = 0; k < kIterationsPerTick && outcome_.stop == Stop::running; ++k) {
        step(temperature);
        if (outcome_.iterations >= limits_.iterations) break;
      }
      adapt_penalties();
      report();
    }
  }

  // One exchange, one ruin and recreate or, rarely, one route turned round: taken back unless the
  // temperature allows what it costs.
  void step(double temperature) {
    ++outcome_.iterations;
    plan_.mark();
    const double allowed = -temperature * std::log(1.0 - random_.unit());
    const int seed = seed_city();
    const double kind = random_.unit();
    if (kind < kTurned) {
      turn_round(plan_.route(seed));
      if (change() > allowed) return plan_.undo();
    } else if (kind < kTurned + kExchanged) {
      if (!random_exchange_.propose(plan_, seed, random_)) return;
      if (random_exchange_.change(plan_, cost_) > allowed) return;
      random_exchange_.apply(plan_);
    } else {
      ruin_recreate_.ruin(plan_, seed, random_);
      ruin_recreate_.recreate(plan_, cost_, random_);
      if (change() > allowed) return plan_.undo();
    }
    if (at_best_ && !key().better_than(best_key_, tolerance_)) {
      plan_.undo();  // a step away from the best: stay for once and write it down
      write_best_down();
    } else {
      note_best();
    }
  }

  // Where the way back is the way there this costs nothing, and lets exchanges, which turn no stretch,
  // join what they could not.
  void turn_round(int r) {
    const std::vector<int> cities = plan_.tour(r);
    for (int city : cities) plan_.remove(city);
    for (int city : cities) plan_.insert(city, plan_.depot(r));
  }

  // What the plan's cost grew by since the mark.
  double change() const {
    double change = 0.0;
    for (const auto& t : plan_.touched())
      change += cost_.of(plan_, t.route) - cost_.of(in_.vehicle(t.route), t.length, t.load);
    return change;
  }

  // A limit weighs more the longer the plan stays beyond it, and less again once it is kept. Load and
  // length apart: the way to a plan that keeps both often leads through one that breaks the other.
  void adapt_penalties() {
    double load = 0.0, length = 0.0;
    for (int r : plan_.used()) load += plan_.excess_load(r), length += plan_.excess_length(r);
    const double step = best_key_.violation > 0.0 ? kPenaltyStepFirst : kPenaltyStep;
    const auto adapt = [step](double& penalty, double excess, double base) {
      penalty = std::clamp(penalty * (excess > 0.0 ? step : 1.0 / step), base, kPenaltyMost * base);
    };
    adapt(cost_.load_penalty, load, kPenalty * mean_arc_ / mean_demand_);
    adapt(cost_.length_penalty, length, kPenalty);
  }

  double longest() const {
    double longest = 0.0;
    for (int r : plan_.used()) longest = std::max(longest, plan_.length(r));
    return longest;
  }

  // The city around which to ruin: any, or one on the longest route.
  int seed_city() {
    int city = in_.depots() + random_.below(cities());
    if (objective_ == Objective::minsum || random_.unit() >= kOnLongest) return city;
    const double longest = this->longest();
    for (int tries = 2 * static_cast<int>(plan_.used().size()); tries > 0; --tries) {
      if (plan_.length(plan_.route(city)) >= longest - tolerance_) break;
      city = in_.depots() + random_.below(cities());
    }
    return city;
  }

  // ---------------------------------------------------------------------------------------------
  // Polishing of the best plan.

  void polish() {
    write_best_down();
    Tours tours = best_;
    for (int r = 0; r < in_.vehicles(); ++r) shorten(r, tours[r]);
    if (objective_ == Objective::minmax)
      relieve_longest(tours);
    else
      exchange_all(tours);
    plan_.assign(tours);
    note_best();
  }

  void shorten(int r, std::vector<int>& cities) {
    if (in_.two_way()) {
      tour_search_.improve(r, cities, deadline_);
      return;
    }
    while (two_opt(in_, r, cities, tolerance_, deadline_) + or_opt(in_, r, cities, tolerance_, deadline_) >
           tolerance_) {
    }
  }

  Exchange exchange(Tour t1, Tour t2) const {
    return hooks_.exchange ? hooks_.exchange(t1, t2) : cross_exact(in_, objective_, t1, t2, deadline_);
  }

  // The best exchange of the longest route with another, until none helps.
  void relieve_longest(Tours& tours) {
    std::vector<double> lengths(tours.size());
    for (std::size_t r = 0; r < tours.size(); ++r) lengths[r] = in_.length(static_cast<int>(r), tours[r]);
    for (bool improved = true; improved && !deadline_.passed();) {
      improved = false;
      const int a = static_cast<int>(std::max_element(lengths.begin(), lengths.end()) - lengths.begin());
      for (int b : partners(tours)) {
        if (improved || deadline_.passed()) break;
        if (b == a) continue;
        if (tours[a].size() + tours[b].size() > kLongestExchanged) continue;
        const Exchange x = exchange({a, tours[a]}, {b, tours[b]});
        if (!x.moves() || x.value > lengths[a] - 10 * tolerance_) continue;
        apply(x, tours[a], tours[b]);
        for (int r : {a, b}) {
          shorten(r, tours[r]);
          lengths[r] = in_.length(r, tours[r]);
        }
        improved = true;
      }
    }
  }

  // The best exchange of every two near routes, until none helps.
  void exchange_all(Tours& tours) {
    for (bool improved = true; improved && !deadline_.passed();) {
      improved = false;
      for (auto [a, b] : near_routes(tours)) {
        if (deadline_.passed()) break;
        if (tours[a].size() + tours[b].size() > kLongestExchanged) continue;
        const double before = in_.length(a, tours[a]) + in_.length(b, tours[b]);
        const Exchange x = exchange({a, tours[a]}, {b, tours[b]});
        if (!x.moves() || x.value > before - 10 * tolerance_) continue;
        apply(x, tours[a], tours[b]);
        shorten(a, tours[a]);
        shorten(b, tours[b]);
        improved = true;
      }
    }
  }

  // Vehicles to exchange with: all that are used, and one unused of each kind.
  std::vector<int> partners(const Tours& tours) const {
    std::vector<int> vehicles;
    for (const auto& kind : ruin_recreate_.kinds()) {
      bool unused = false;
      for (int r : kind)
        if (!tours[r].empty() || !std::exchange(unused, true)) vehicles.push_back(r);
    }
    return vehicles;
  }

  // Pairs of a used and an unused vehicle, and of routes with a city whose near neighbours are on both.
  std::vector<std::pair<int, int>> near_routes(const Tours& tours) const {
    constexpr std::size_t near = 10;
    std::vector<int> route(in_.nodes(), -1);
    for (std::size_t r = 0; r < tours.size(); ++r)
      for (int c : tours[r]) route[c] = static_cast<int>(r);
    std::set<std::pair<int, int>> pairs;
    for (int c = in_.depots(); c < in_.nodes(); ++c) {
      const auto others = neighbours_.of(c);
      for (int u : others.subspan(0, std::min(near, others.size())))
        if (route[u] >= 0 && route[u] != route[c]) pairs.insert(std::minmax(route[c], route[u]));
    }
    const std::vector<int> vehicles = partners(tours);
    for (int a : vehicles)
      for (int b : vehicles)
        if (!tours[a].empty() && tours[b].empty()) pairs.insert({a, b});
    return {pairs.begin(), pairs.end()};
  }

  const Instance& in_;
  const Objective objective_;
  const double tolerance_;
  const Limits limits_;
  const Hooks& hooks_;
  const Clock::time_point began_;
  const Deadline deadline_;
  Random random_;
  Plan plan_;
  Neighbours neighbours_;
  RuinRecreate ruin_recreate_;
  RandomExchange random_exchange_;
  TourSearch tour_search_;
  RouteCost cost_;
  double mean_arc_ = 1.0, mean_demand_ = 1.0;
  Key best_key_;
  Tours best_;
  bool at_best_ = false;      // the plan is the best and not yet written down
  bool best_is_new_ = false;  // since the last report
  std::int64_t last_improved_ = 0;
  bool given_start_ = false;
  std::int64_t annealing_began_ = 0, annealing_length_ = 10'000;
  double last_report_ = 0.0;
  Outcome outcome_;
};

// Independent searches from seeds of their own; the best of them answers. Reports come from the thread
// that asked, for only there can Python see its signals.
class Team {
 public:
  Team(const Instance& instance, Objective objective, std::uint64_t seed, double tolerance,
       const Tours* start, const Limits& limits, const Hooks& hooks, int threads)
      : tolerance_(tolerance),
        limits_(limits),
        hooks_(hooks),
        outcomes_(threads),
        running_(threads),
        failures_(threads) {
    Random seeds(seed);
    for (int k = 0; k < threads; ++k)
      threads_.emplace_back([this, &instance, objective, start, k, own = seeds.next()] {
        const Hooks hooks{[this](const Tours* tours, const TracePoint& point) { return hear(tours, point); },
                          hooks_.exchange};
        try {
          outcomes_[k] = Search(instance, objective, own, tolerance_, limits_, hooks).run(start);
        } catch (...) {
          failures_[k] = std::current_exception();
        }
        leave(outcomes_[k].stop);
      });
  }

  Outcome run() {
    std::unique_lock lock(mutex_);
    while (running_ > 0) {
      changed_.wait_for(lock, std::chrono::duration<double>(kSecondsPerReport));
      tell();
    }
    lock.unlock();
    threads_.clear();
    for (const auto& failure : failures_)
      if (failure) std::rethrow_exception(failure);
    std::size_t best = 0;
    std::int64_t iterations = 0;
    for (std::size_t k = 0; k < outcomes_.size(); ++k) {
      iterations += outcomes_[k].iterations;
      if (outcomes_[k].key.better_than(outcomes_[best].key, tolerance_)) best = k;
    }
    Outcome& answer = outcomes_[best];
    answer.iterations = iterations;
    if (hooks_.report && !answer.trace.empty()) hooks_.report(&answer.tours, answer.trace.back());
    return std::move(answer);
  }

 private:
  // Called by the searches.
  bool hear(const Tours* tours, const TracePoint& point) {
    std::lock_guard lock(mutex_);
    if (tours && point.value < told_.value) news_ = *tours, told_ = point;
    return stop_;
  }
  void leave(Stop stop) {
    std::lock_guard lock(mutex_);
    // Good enough for one is good enough for all, unless the answer must not depend on the clock.
    const bool enough = stop == Stop::target || stop == Stop::bound || stop == Stop::interrupted;
    if (enough && limits_.iterations == std::numeric_limits<std::int64_t>::max()) stop_ = true;
    --running_;
    changed_.notify_one();
  }

  // Called by the thread that waits.
  void tell() {
    if (!hooks_.report) return;
    try {
      stop_ |= hooks_.report(news_.empty() ? nullptr : &news_, told_);
    } catch (...) {  // the listener failed: end the searches before its error goes on its way
      stop_ = true;
      throw;
    }
    news_.clear();
  }

  const double tolerance_;
  const Limits limits_;
  const Hooks& hooks_;
  std::vector<Outcome> outcomes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int running_;
  bool stop_ = false;
  Tours news_;
  TracePoint told_{0.0, 0, kInfinity};
  std::vector<std::exception_ptr> failures_;
  std::vector<std::jthread> threads_;  // last: joined before anything they use is gone
};

}  // namespace

Outcome search(const Instance& instance, Objective objective, std::uint64_t seed, double tolerance,
               const Tours* start, const Limits& limits, const Hooks& hooks, int threads) {
  if (threads <= 1) return Search(instance, objective, seed, tolerance, limits, hooks).run(start);
  return Team(instance, objective, seed, tolerance, start, limits, hooks, threads).run();
}

}  // namespace neurocross
