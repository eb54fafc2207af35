#include "tsp.hpp"

#include <algorithm>
#include <array>

namespace neurocross {
namespace {

constexpr int kCandidates = 10;  // neighbours tried for each node
constexpr int kDepth = 6;        // edges exchanged at most in one Lin-Kernighan move, less one
constexpr std::array kBreadth{5, 3, 2, 1, 1, 1};
constexpr int kLongestMoved = 3;    // cities moved by or-opt
constexpr int kLongestKicked = 30;  // cities of a segment of the double bridge

}  // namespace

TourSearch::TourSearch(const Instance& instance, const Neighbours& neighbours, double tolerance)
    : in_(instance),
      neighbours_(neighbours),
      tolerance_(tolerance),
      plain_(instance.symmetric()),
      start_(instance.nodes()),
      end_(instance.nodes() + 1),
      position_(instance.nodes() + 2, -1),
      queued_(instance.nodes() + 2, 0) {}

double TourSearch::cost(int u, int v) const {
  if (u >= start_) std::swap(u, v);
  if (v == start_) return in_.distance(in_.vehicle(vehicle_).start, u);
  if (v == end_) return in_.back(vehicle_, u);
  return plain_ ? in_.arc(u, v) : in_.distance(u, v);
}

void TourSearch::load(int vehicle, const std::vector<int>& cities) {
  vehicle_ = vehicle;
  order_.assign(1, start_);
  order_.insert(order_.end(), cities.begin(), cities.end());
  order_.push_back(end_);
  size_ = static_cast<int>(order_.size());
  for (int p = 0; p < size_; ++p) position_[order_[p]] = p;
  reversed_ = false;
  flips_.clear();
  queue_.clear();
  queue_head_ = 0;
  for (int depot : {start_, end_}) {
    auto& near = depot == start_ ? at_start_ : at_end_;
    near = cities;
    const auto middle = near.begin() + std::min<std::size_t>(kCandidates, near.size());
    std::partial_sort(near.begin(), middle, near.end(), [&](int u, int v) {
      return std::pair(cost(depot, u), u) < std::pair(cost(depot, v), v);
    });
    near.erase(middle, near.end());
  }
}

void TourSearch::unload(std::vector<int>& cities) const {
  cities.clear();
  const bool forwards = behind(position_[end_]) == start_;
  for (int k = 1; k < size_ - 1; ++k) {
    const int p = position_[start_] + (forwards ? k : size_ - k);
    cities.push_back(order_[p % size_]);
  }
}

// Candidates of u in this tour that are nearer than `within`, until `visit` has seen all.
template <class Visit>
void TourSearch::each_candidate(int u, double within, Visit visit) const {
  if (u >= start_) {
    for (int v : u == start_ ? at_start_ : at_end_) {
      const double d = cost(u, v);
      if (d >= within) return;
      visit(v, d);
    }
    return;
  }
  for (int depot : {start_, end_}) {
    const double d = cost(u, depot);
    if (d < within) visit(depot, d);
  }
  int seen = 0;
  for (int v : neighbours_.of(u)) {
    if (v < in_.depots() || !in_tour(v)) continue;
    const double d = cost(u, v);
    if (d >= within) return;
    visit(v, d);
    if (++seen == kCandidates) return;
  }
}

void TourSearch::reverse(int from, int to) {
  const int inside = (to - from + size_) % size_ + 1;
  for (int k = inside / 2; k > 0; --k) {
    std::swap(order_[from], order_[to]);
    position_[order_[from]] = from;
    position_[order_[to]] = to;
    if (++from == size_) from = 0;
    if (--to < 0) to = size_ - 1;
  }
}

void TourSearch::flip(int first, int last) {
  int from = position_[first], to = position_[last];
  if (reversed_) std::swap(from, to);
  const int inside = (to - from + size_) % size_ + 1;
  const bool turned = 2 * inside > size_;
  if (turned) {  // the rest is shorter: turn that round, and read the cycle the other way
    const int outside_from = to + 1 < size_ ? to + 1 : 0, outside_to = from > 0 ? from - 1 : size_ - 1;
    from = outside_from, to = outside_to;
    reversed_ = !reversed_;
  }
  reverse(from, to);
  flips_.push_back({from, to, turned});
}

void TourSearch::undo(std::size_t flips) {
  for (; flips_.size() > flips; flips_.pop_back()) {
    reverse(flips_.back().from, flips_.back().to);
    reversed_ ^= flips_.back().turned;
  }
}

void TourSearch::look_at(int u) {
  if (queued_[u]) return;
  queued_[u] = 1;
  queue_.push_back(u);
}

double TourSearch::settle(const Deadline& deadline) {
  double saved = 0.0;
  for (int looks = 1; queue_head_ < queue_.size(); ++looks) {
    if (looks % 64 == 0 && deadline.passed()) break;
    const int u = queue_[queue_head_++];
    queued_[u] = 0;
    for (double gain = 1.0; gain > 0.0;) {
      gain = lin_kernighan(u);
      if (gain <= 0.0) gain = or_opt(u);
      saved += gain;
    }
  }
  for (; queue_head_ < queue_.size(); ++queue_head_) queued_[queue_[queue_head_]] = 0;
  queue_.clear();
  queue_head_ = 0;
  return saved;
}

double TourSearch::lin_kernighan(int t1) {
  for (int direction = 0; direction < 2; ++direction) {
    const int t2 = next(t1);
    if (!fixed(t1, t2)) {
      const double gain = descend(t1, cost(t1, t2), 0);
      if (gain > 0.0) return gain;
    }
    reversed_ = !reversed_;
  }
  return 0.0;
}

// The path t1 .. t2 = next(t1) is open at (t1, t2), `gain` is what removed edges exceed added ones
// by. Adds (t2, to), removes (last, to) with last = previous(to), which turns t2 .. last round, and
// closes with (t1, last) or goes on from there.
double TourSearch::descend(int t1, double gain, int depth) {
  const int t2 = next(t1), after = next(t2);
  std::array<Step, kBreadth[0]> steps;
  const int breadth = kBreadth[depth];
  int found = 0;
  each_candidate(t2, gain - tolerance_, [&](int to, double added) {
    if (to == t1 || to == after || fixed(t2, to)) return;
    const int last = previous(to);
    if (fixed(last, to)) return;
    const Step step{gain - added + cost(last, to), last, to};
    if (found == breadth && step.gain <= steps[found - 1].gain) return;
    int k = found < breadth ? found++ : found - 1;
    for (; k > 0 && steps[k - 1].gain < step.gain; --k) steps[k] = steps[k - 1];
    steps[k] = step;
  });
  for (int k = 0; k < found; ++k) {
    const auto [open, last, to] = steps[k];
    const double closed = fixed(t1, last) ? -kInfinity : open - cost(t1, last);
    double total = 0.0;
    if (closed > tolerance_) {
      flip(t2, last);
      total = closed;
    } else if (depth + 1 < kDepth) {
      const std::size_t mark = flips_.size();
      flip(t2, last);
      total = descend(t1, open, depth + 1);
      if (total <= 0.0) undo(mark);
    }
    if (total > 0.0) {
      for (int u : {t1, t2, last, to}) look_at(u);
      return total;
    }
  }
  return 0.0;
}

// Moves the segment that begins at `first`, one to three cities either way along the tour, next to
// a candidate of `first`, either way round.
double TourSearch::or_opt(int first) {
  if (first >= start_) return 0.0;
  for (int direction = 0; direction < 2; ++direction, reversed_ = !reversed_) {
    int last = first;
    for (int count = 1; count <= kLongestMoved; ++count, last = next(last)) {
      if (last >= start_ || size_ < count + 3) break;
      const int left = previous(first), right = next(last);
      const double removed =
          cost(left, first) + cost(last, right) - (fixed(left, right) ? kInfinity : cost(left, right));
      double best = tolerance_;
      int best_to = -1;
      bool best_turned = false;
      each_candidate(first, removed - tolerance_, [&](int to, double added) {
        int u = first;
        for (int k = 0; k < count; ++k, u = next(u))
          if (u == to) return;
        const int behind = next(to), ahead = previous(to);
        if (to != left && !fixed(to, behind)) {
          const double gain = removed - added - cost(last, behind) + cost(to, behind);
          if (gain > best) best = gain, best_to = to, best_turned = false;
        }
        if (to != right && !fixed(ahead, to)) {
          const double gain = removed - added - cost(last, ahead) + cost(ahead, to);
          if (gain > best) best = gain, best_to = ahead, best_turned = true;
        }
      });
      if (best_to < 0) continue;
      // left [first .. last] [right .. to] behind  ->  left [right .. to] [first .. last] behind
      const int to = best_to, behind = next(to);
      flip(first, to);
      flip(to, right);
      if (!best_turned) flip(last, first);
      for (int u : {left, right, first, last, to, behind}) look_at(u);
      return best;
    }
  }
  return 0.0;
}

// A double bridge: two short neighbouring segments change places. Returns what the tour grows by.
double TourSearch::kick(Random& random) {
  const int longest = std::min(kLongestKicked, (size_ - 2) / 2);
  const int l1 = 1 + random.below(longest), l2 = 1 + random.below(longest);
  const int p = random.below(size_);
  const auto at = [&](int k) { return order_[(p + k) % size_]; };
  reversed_ = false;
  const int left = at(0), a = at(1), b = at(l1), c = at(l1 + 1), d = at(l1 + l2), right = at(l1 + l2 + 1);
  if (fixed(left, a) || fixed(b, c) || fixed(d, right) || fixed(left, c) || fixed(d, a) || fixed(b, right))
    return kInfinity;
  const double grown =
      cost(left, c) + cost(d, a) + cost(b, right) - cost(left, a) - cost(b, c) - cost(d, right);
  flip(a, d);
  flip(d, c);
  flip(b, a);
  for (int u : {left, a, b, c, d, right}) look_at(u);
  return grown;
}

double TourSearch::improve(int vehicle, std::vector<int>& cities, const Deadline& deadline) {
  Random unused(0);
  return iterate(vehicle, cities, 0, unused, deadline);
}

double TourSearch::iterate(int vehicle, std::vector<int>& cities, long kicks, Random& random,
                           const Deadline& deadline) {
  if (cities.size() < 2) return 0.0;
  load(vehicle, cities);
  for (int u : order_) look_at(u);
  double saved = settle(deadline);
  if (size_ < 8) kicks = 0;
  for (long k = 0; k < kicks && !deadline.passed(); ++k) {
    flips_.clear();
    const double grown = kick(random);
    if (grown == kInfinity) continue;
    const double gain = settle(deadline) - grown;
    if (gain > tolerance_)
      saved += gain;
    else
      undo(0);
  }
  unload(cities);
  for (int u : order_) position_[u] = -1;
  return saved;
}

}  // namespace neurocross
