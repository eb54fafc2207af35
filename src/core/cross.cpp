#include "cross.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace neurocross {
namespace {

// ------------------------------------------------------------------------------------------------
// Inner loops, compiled twice: portable and AVX2. No sums are reassociated and none is contracted,
// and a minimum does not depend on the order, so both give the same bits.

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif
#if defined(__GNUC__) && defined(__x86_64__)
#define HAS_AVX2_PATH 1
#endif

constexpr int kLanes = 8;

ALWAYS_INLINE double smaller(double a, double b) { return a < b ? a : b; }
ALWAYS_INLINE double larger(double a, double b) { return a > b ? a : b; }

// min over k of value(f + g[k], e + h[k]) where both terms keep their limits.
template <bool kMinsum>
ALWAYS_INLINE double scan_loop(double f, const double* g, double e, const double* h, int count, double limit1,
                               double limit2) {
  double best[kLanes];
  for (double& b : best) b = kInfinity;
  int k = 0;
  for (; k + kLanes <= count; k += kLanes)
    for (int t = 0; t < kLanes; ++t) {
      const double c1 = f + g[k + t], c2 = e + h[k + t];
      const double value = kMinsum ? c1 + c2 : larger(c1, c2);
      const double allowed = c1 <= limit1 ? value : kInfinity;
      best[t] = smaller(c2 <= limit2 ? allowed : kInfinity, best[t]);
    }
  for (; k < count; ++k) {
    const double c1 = f + g[k], c2 = e + h[k];
    const double value = kMinsum ? c1 + c2 : larger(c1, c2);
    if (c1 <= limit1 && c2 <= limit2) best[0] = smaller(value, best[0]);
  }
  for (int t = 1; t < kLanes; ++t) best[0] = smaller(best[t], best[0]);
  return best[0];
}

// sum[k] = f[k] + e[k] + s[k]; returns the smallest.
ALWAYS_INLINE double bound_loop(const double* f, const double* e, const double* s, double* sum, int count) {
  double best[kLanes];
  for (double& b : best) b = kInfinity;
  int k = 0;
  for (; k + kLanes <= count; k += kLanes)
    for (int t = 0; t < kLanes; ++t) {
      sum[k + t] = f[k + t] + e[k + t] + s[k + t];
      best[t] = smaller(sum[k + t], best[t]);
    }
  for (; k < count; ++k) {
    sum[k] = f[k] + e[k] + s[k];
    best[0] = smaller(sum[k], best[0]);
  }
  for (int t = 1; t < kLanes; ++t) best[0] = smaller(best[t], best[0]);
  return best[0];
}

struct Loops {
  double (*scan_max)(double, const double*, double, const double*, int, double, double);
  double (*scan_sum)(double, const double*, double, const double*, int, double, double);
  double (*bound)(const double*, const double*, const double*, double*, int);
};

double scan_max(double f, const double* g, double e, const double* h, int n, double l1, double l2) {
  return scan_loop<false>(f, g, e, h, n, l1, l2);
}
double scan_sum(double f, const double* g, double e, const double* h, int n, double l1, double l2) {
  return scan_loop<true>(f, g, e, h, n, l1, l2);
}
double bound(const double* f, const double* e, const double* s, double* sum, int n) {
  return bound_loop(f, e, s, sum, n);
}
constexpr Loops kPortable{scan_max, scan_sum, bound};

#ifdef HAS_AVX2_PATH
#define AVX2 __attribute__((target("avx2")))
AVX2 double scan_max_avx2(double f, const double* g, double e, const double* h, int n, double l1, double l2) {
  return scan_loop<false>(f, g, e, h, n, l1, l2);
}
AVX2 double scan_sum_avx2(double f, const double* g, double e, const double* h, int n, double l1, double l2) {
  return scan_loop<true>(f, g, e, h, n, l1, l2);
}
AVX2 double bound_avx2(const double* f, const double* e, const double* s, double* sum, int n) {
  return bound_loop(f, e, s, sum, n);
}
constexpr Loops kAvx2{scan_max_avx2, scan_sum_avx2, bound_avx2};
bool has_avx2() { return __builtin_cpu_supports("avx2"); }
#else
constexpr Loops kAvx2 = kPortable;
bool has_avx2() { return false; }
#endif

const Loops* loops = has_avx2() ? &kAvx2 : &kPortable;

// ------------------------------------------------------------------------------------------------
// A window of a tour, measured: prefix lengths, tails, prefix loads, limits. Nodes before and after
// the window stay as they are; mostly the window is the whole tour.

struct Measured {
  int vehicle, n;                    // n: cities in the window
  bool whole;                        // no city outside the window
  int next;                          // the node after the window, -1 if the tour ends there
  std::vector<int> node;             // 0: the node before the window, 1 .. n: its cities
  std::vector<double> prefix;        // [k] length of the tour up to node k
  std::vector<double> tail;          // [k] length from the node after k to the end; [n]: from `next`
  std::vector<double> load;          // [k] demand of nodes 1 .. k
  double length, max_length, spare;  // of the whole tour; spare: load that may still be added

  void measure(const Instance& in, Tour tour) { measure(in, tour, 0, static_cast<int>(tour.cities.size())); }

  void measure(const Instance& in, Tour tour, int first, int last) {
    const auto cities = tour.cities;
    const int size = static_cast<int>(cities.size());
    vehicle = tour.vehicle;
    n = last - first;
    whole = n == size;
    next = last < size ? cities[last] : -1;
    node.resize(n + 1), prefix.resize(n + 1), tail.resize(n + 1);
    load.assign(n + 1, 0.0);
    int at = in.vehicle(vehicle).start;
    double so_far = 0.0;
    for (int k = 0; k < first; ++k) so_far += in.arc(at, cities[k]), at = cities[k];
    node[0] = at, prefix[0] = so_far;
    std::copy(cities.begin() + first, cities.begin() + last, node.begin() + 1);
    for (int k = 1; k <= n; ++k) prefix[k] = prefix[k - 1] + in.arc(node[k - 1], node[k]);
    length = prefix[n];
    at = node[n];
    for (int k = last; k < size; ++k) length += in.arc(at, cities[k]), at = cities[k];
    length = size ? length + in.back(vehicle, at) : 0.0;
    for (int k = 0; k < n; ++k) tail[k] = length - prefix[k + 1];
    tail[n] = next < 0 ? 0.0 : length - prefix[n] - in.arc(node[n], next);
    spare = kInfinity;
    if (in.has_demand()) {
      for (int k = 1; k <= n; ++k) load[k] = load[k - 1] + in.demand(node[k]);
      spare = std::max(in.vehicle(vehicle).capacity - in.load(cities), 0.0);
    }
    max_length = std::max(in.vehicle(vehicle).max_length, length);
  }

  // From a node to whatever follows the window, and on to the end of the tour.
  double leave(const Instance& in, int from) const {
    return next < 0 ? in.back(vehicle, from) : in.arc(from, next) + tail[n];
  }

  // The tour without cities a+1 .. b.
  double without(const Instance& in, int a, int b) const {
    if (a == b) return length;
    if (whole && b - a == n) return 0.0;
    return prefix[a] + (b < n ? in.arc(node[a], node[b + 1]) + tail[b] : leave(in, node[a]));
  }
};

// Length of tour s after its cities a+1 .. b gave way to cities c+1 .. d of tour t.
double spliced(const Instance& in, const Measured& s, int a, int b, const Measured& t, int c, int d) {
  if (c == d) return s.without(in, a, b);
  const double head = s.prefix[a] + in.arc(s.node[a], t.node[c + 1]);
  const double inside = t.prefix[d] - t.prefix[c + 1];
  const double end = b < s.n ? in.arc(t.node[d], s.node[b + 1]) + s.tail[b] : s.leave(in, t.node[d]);
  return head + inside + end;
}

// [a][c]: length of tour s up to node a and on to city c+1 of tour t, less what t drove to get there.
std::vector<double> entering(const Instance& in, const Measured& s, const Measured& t) {
  std::vector<double> cost;
  for (int a = 0; a <= s.n; ++a)
    for (int c = 0; c < t.n; ++c)
      cost.push_back(s.prefix[a] + in.arc(s.node[a], t.node[c + 1]) - t.prefix[c + 1]);
  return cost;
}

// [b][d]: length of tour t up to node d, and from there over tour s behind node b to its end.
std::vector<double> leaving(const Instance& in, const Measured& s, const Measured& t) {
  std::vector<double> cost;
  for (int b = 0; b <= s.n; ++b)
    for (int d = 0; d <= t.n; ++d)
      cost.push_back(t.prefix[d] +
                     (b < s.n ? in.arc(t.node[d], s.node[b + 1]) + s.tail[b] : s.leave(in, t.node[d])));
  return cost;
}

bool loads_allow(const Measured& m1, const Measured& m2, int a1, int b1, int a2, int b2) {
  const double more = (m2.load[b2] - m2.load[a2]) - (m1.load[b1] - m1.load[a1]);
  return more <= m1.spare && -more <= m2.spare;
}

double value_of(Objective objective, double c1, double c2) {
  return objective == Objective::minsum ? c1 + c2 : std::max(c1, c2);
}

// ------------------------------------------------------------------------------------------------
// The separable search. For two non-empty segments
//   C1' = F(a1, a2) + G(b1, b2)     F = P1[a1] + d(x[a1], y[a2+1]) - P2[a2+1]
//                                   G = P2[b2] + d(y[b2], x[b1+1]) + tail1[b1]
//   C2' = E(a1, a2) + H(b1, b2)     E = P2[a2] + d(y[a2], x[a1+1]) - P1[a1+1]
//                                   H = P1[b1] + d(x[b1], y[b2+1]) + tail2[b2]
// (a d(.., end) is the tour's way back). With segment 1 empty, b1 = a1, C1' keeps its form and C2'
// is tour 2 without the segment; likewise the other way round, where E and H are read by columns.
//
// max(C1', C2') >= (C1' + C2') / 2 >= (F + E + min over (b1, b2) of (G + H)) / 2 is the bound by
// which start pairs are visited and rows of end pairs are skipped. Limits on load and length only
// take exchanges away, so it stays a bound under them.

class Search {
 public:
  // Windows are half-open ranges of cities.
  void prepare(const Instance& instance, Objective objective, Tour t1, std::pair<int, int> window1, Tour t2,
               std::pair<int, int> window2) {
    in_ = &instance;
    minsum_ = objective == Objective::minsum;
    scan_ = minsum_ ? loops->scan_sum : loops->scan_max;
    m1_.measure(instance, t1, window1.first, window1.second);
    m2_.measure(instance, t2, window2.first, window2.second);
    n1_ = m1_.n, n2_ = m2_.n, w_ = n2_ + 1, v_ = n1_ + 1;
    best_ = {};
    best_.value = value_of(objective, m1_.length, m2_.length);
    tie_ = kTie * best_.value;
    limited_load_ = instance.has_demand() && (m1_.spare < kInfinity || m2_.spare < kInfinity);
    fill_tables();
  }

  void look_only_below(double value) { best_.value = std::min(best_.value, value); }
  double present() const { return minsum_ ? m1_.length + m2_.length : std::max(m1_.length, m2_.length); }
  const Exchange& best() const { return best_; }

  Exchange exact(const Deadline& deadline) {
    candidates_.clear();
    bounds_.resize(w_);
    suffix_.assign(w_ + 1, kInfinity);
    for (int a1 = n1_ - 1; a1 >= 0; --a1) {
      const double* row = &rest_[(a1 + 1) * w_];
      for (int k = 1; k <= n2_; ++k) suffix_[k] = smaller(row[k], suffix_[k]);
      const double least = loops->bound(&f_[a1 * w_], &e_[a1 * w_], &suffix_[1], bounds_.data(), n2_);
      if (!promising(least)) continue;
      for (int a2 = 0; a2 < n2_; ++a2)
        if (promising(bounds_[a2])) candidates_.push_back({bounds_[a2], a1, a2});
    }
    std::make_heap(candidates_.begin(), candidates_.end());
    for (int visited = 1; !candidates_.empty() && promising(candidates_.front().bound); ++visited) {
      std::pop_heap(candidates_.begin(), candidates_.end());
      both_segments(candidates_.back().a1, candidates_.back().a2);
      candidates_.pop_back();
      if (visited % 32 == 0 && deadline.passed()) return best_;
    }
    for (int a1 = 0; a1 <= n1_; ++a1) {
      for (int a2 = 0; a2 < n2_; ++a2) insert_second(a1, a2);
      if (deadline.passed()) return best_;
    }
    for (int a2 = 0; a2 <= n2_; ++a2) {
      for (int a1 = 0; a1 < n1_; ++a1) insert_first(a1, a2);
      if (deadline.passed()) return best_;
    }
    return best_;
  }

  // Every exchange that starts at (a1, a2), as far as it beats the best so far.
  void from(int a1, int a2) {
    if (a1 < n1_ && a2 < n2_) both_segments(a1, a2);
    if (a2 < n2_) insert_second(a1, a2);
    if (a1 < n1_) insert_first(a1, a2);
  }

  void forget() { best_ = {0, 0, 0, 0, present()}; }

 private:
  struct Candidate {
    double bound;
    int a1, a2;
    // The heap has the smallest bound on top; equal bounds in the order of the tours.
    bool operator<(const Candidate& o) const {
      return bound != o.bound ? bound > o.bound : a1 != o.a1 ? a1 > o.a1 : a2 > o.a2;
    }
  };

  // `sum` bounds C1' + C2' from below: can such an exchange still beat the best?
  bool promising(double sum) const { return (minsum_ ? sum : 0.5 * sum) < best_.value - tie_; }

  void fill_tables() {
    const Instance& in = *in_;
    const std::size_t size = static_cast<std::size_t>(v_) * w_;
    for (auto* t : {&xy_, &yx_, &f_, &e_, &g_, &h_, &rest_, &g_rest_, &h_cols_, &h_rest_}) t->resize(size);
    without1_.assign(static_cast<std::size_t>(v_) * v_, -1.0);
    without2_.assign(static_cast<std::size_t>(w_) * w_, -1.0);
    for (int i = 0; i < v_; ++i) {
      const int u = m1_.node[i];
      const double* row = in.row(u);
      for (int k = 0; k < w_; ++k) {
        const int y = m2_.node[k];
        xy_[i * w_ + k] = row ? row[y] : in.arc(u, y);
      }
      for (int k = 0; k < w_; ++k)
        yx_[i * w_ + k] = in.symmetric() ? xy_[i * w_ + k] : in.arc(m2_.node[k], u);
    }
    for (int i = 0; i < v_; ++i) {
      double *f = &f_[i * w_], *e = &e_[i * w_], *g = &g_[i * w_], *h = &h_[i * w_];
      const double *xy = &xy_[i * w_], *yx = yx_.data() + (i + 1) * w_;
      for (int k = 0; k < n2_; ++k) f[k] = m1_.prefix[i] + xy[k + 1] - m2_.prefix[k + 1];
      for (int k = 0; k < n2_; ++k) h[k] = m1_.prefix[i] + xy[k + 1] + m2_.tail[k];
      h[n2_] = m1_.prefix[i] + m2_.leave(in, m1_.node[i]);
      if (i < n1_) {
        for (int k = 0; k <= n2_; ++k) e[k] = m2_.prefix[k] + yx[k] - m1_.prefix[i + 1];
        for (int k = 0; k <= n2_; ++k) g[k] = m2_.prefix[k] + yx[k] + m1_.tail[i];
      } else {
        for (int k = 0; k <= n2_; ++k) g[k] = m2_.prefix[k] + m1_.leave(in, m2_.node[k]);
      }
      // Row suffix minima: over the end pairs of a row, and over the ends of segment 2 alone.
      double least = kInfinity, least_g = kInfinity;
      for (int k = n2_; k >= 0; --k) {
        least = smaller(g[k] + h[k], least);
        least_g = smaller(g[k], least_g);
        rest_[i * w_ + k] = least;
        g_rest_[i * w_ + k] = least_g;
      }
    }
    for (int k = 0; k < w_; ++k) {
      double least = kInfinity;
      for (int i = n1_; i >= 0; --i) {
        least = smaller(h_[i * w_ + k], least);
        h_cols_[k * v_ + i] = h_[i * w_ + k];
        h_rest_[k * v_ + i] = least;
      }
    }
  }

  // Segment 2's ends that keep both loads when segment 1 brings `given`: b2 in [first, last].
  std::pair<int, int> load_range(const Measured& giver, int a, double given, double spare_taker,
                                 double spare_giver) const {
    const auto& q = giver.load;
    const auto from = q.begin() + a + 1;
    const auto lo = std::lower_bound(from, q.end(), q[a] + given - spare_giver);
    const auto hi = std::upper_bound(lo, q.end(), q[a] + given + spare_taker);
    return {static_cast<int>(lo - q.begin()), static_cast<int>(hi - q.begin()) - 1};
  }

  void both_segments(int a1, int a2) {
    const double f = f_[a1 * w_ + a2], e = e_[a1 * w_ + a2];
    int first = a2 + 1, last = n2_;
    for (int b1 = a1 + 1; b1 <= n1_; ++b1) {
      if (!promising(f + e + rest_[b1 * w_ + a2 + 1])) continue;
      if (limited_load_) {
        const double given = m1_.load[b1] - m1_.load[a1];
        std::tie(first, last) = load_range(m2_, a2, given, m1_.spare, m2_.spare);
      }
      const double *g = &g_[b1 * w_], *h = &h_[b1 * w_];
      const double value =
          scan_(f, g + first, e, h + first, last - first + 1, m1_.max_length, m2_.max_length);
      if (value < best_.value - tie_)
        best_ = {a1, b1, a2, find(f, g, e, h, first, last, value, m1_.max_length, m2_.max_length), value};
    }
  }

  // Segment 1 empty at a1: cities a2+1 .. b2 move into tour 1.
  void insert_second(int a1, int a2) {
    const double f = f_[a1 * w_ + a2];
    if (!minsum_ && !(f + g_rest_[a1 * w_ + a2 + 1] < best_.value - tie_)) return;
    const double* g = &g_[a1 * w_];
    const double* left = without_row(without2_, m2_, w_, a2);
    int first = a2 + 1, last = n2_;
    if (limited_load_) std::tie(first, last) = load_range(m2_, a2, 0.0, m1_.spare, m2_.spare);
    const double value =
        scan_(f, g + first, 0.0, left + first, last - first + 1, m1_.max_length, m2_.max_length);
    if (value < best_.value - tie_)
      best_ = {a1, a1, a2, find(f, g, 0.0, left, first, last, value, m1_.max_length, m2_.max_length), value};
  }

  // Segment 2 empty at a2: cities a1+1 .. b1 move into tour 2.
  void insert_first(int a1, int a2) {
    const double e = e_[a1 * w_ + a2];
    if (!minsum_ && !(e + h_rest_[a2 * v_ + a1 + 1] < best_.value - tie_)) return;
    const double* h = &h_cols_[a2 * v_];
    const double* left = without_row(without1_, m1_, v_, a1);
    int first = a1 + 1, last = n1_;
    if (limited_load_) std::tie(first, last) = load_range(m1_, a1, 0.0, m2_.spare, m1_.spare);
    const double value =
        scan_(e, h + first, 0.0, left + first, last - first + 1, m2_.max_length, m1_.max_length);
    if (value < best_.value - tie_)
      best_ = {a1, find(e, h, 0.0, left, first, last, value, m2_.max_length, m1_.max_length), a2, a2, value};
  }

  // Lengths of a tour without cities a+1 .. b, for all b; made when first asked for.
  const double* without_row(std::vector<double>& table, const Measured& m, int width, int a) const {
    double* row = &table[a * width];
    if (row[m.n] < 0.0)
      for (int b = a + 1; b <= m.n; ++b) row[b] = m.without(*in_, a, b);
    return row;
  }

  int find(double f, const double* g, double e, const double* h, int first, int last, double value,
           double limit1, double limit2) const {
    for (int k = first; k < last; ++k) {
      const double c1 = f + g[k], c2 = e + h[k];
      if ((minsum_ ? c1 + c2 : larger(c1, c2)) == value && c1 <= limit1 && c2 <= limit2) return k;
    }
    return last;
  }

  const Instance* in_ = nullptr;
  bool minsum_ = false, limited_load_ = false;
  double (*scan_)(double, const double*, double, const double*, int, double, double) = nullptr;
  Measured m1_, m2_;
  int n1_ = 0, n2_ = 0, v_ = 1, w_ = 1;  // v, w: nodes of the tours, start depot included
  Exchange best_;
  double tie_ = 0.0;                         // values closer than this are the same
  std::vector<double> xy_, yx_;              // [i][k]: d(x_i, y_k), d(y_k, x_i)
  std::vector<double> f_, e_, g_, h_;        // [i][k], as above
  std::vector<double> rest_, g_rest_;        // [i][k]: min over k' >= k of G + H, of G
  std::vector<double> h_cols_, h_rest_;      // [k][i]: H by columns, min over i' >= i
  std::vector<double> without1_, without2_;  // [a][b]
  std::vector<double> suffix_, bounds_;
  std::vector<Candidate> candidates_;
};

// The tables are kept from call to call: no allocation once they are large enough.
Search& tables() {
  thread_local Search search;
  return search;
}

Search& prepared(const Instance& instance, Objective objective, Tour t1, Tour t2) {
  const int n1 = static_cast<int>(t1.cities.size()), n2 = static_cast<int>(t2.cities.size());
  tables().prepare(instance, objective, t1, {0, n1}, t2, {0, n2});
  return tables();
}

// Tours of more cities than this are searched window by window: ten tables of this many squared
// are 160 MB, and a search over more would take seconds.
constexpr int kWindow = 1400;

std::vector<std::pair<int, int>> windows(int cities) {
  const int count = std::max(1, (cities + kWindow - 1) / kWindow);
  std::vector<std::pair<int, int>> result;
  for (int k = 0; k < count; ++k)
    result.push_back({static_cast<int>(std::int64_t{cities} * k / count),
                      static_cast<int>(std::int64_t{cities} * (k + 1) / count)});
  return result;
}

}  // namespace

std::pair<double, double> cross_cost(const Instance& instance, Tour t1, Tour t2, int a1, int b1, int a2,
                                     int b2) {
  Measured m1, m2;
  m1.measure(instance, t1);
  m2.measure(instance, t2);
  return {spliced(instance, m1, a1, b1, m2, a2, b2), spliced(instance, m2, a2, b2, m1, a1, b1)};
}

Exchange cross_brute(const Instance& instance, Objective objective, Tour t1, Tour t2,
                     const Deadline& deadline) {
  Measured m1, m2;
  m1.measure(instance, t1);
  m2.measure(instance, t2);
  const int n1 = m1.n, n2 = m2.n;
  // What a pair of cuts costs is looked up, not computed again for each of the n^4 exchanges.
  const auto enter12 = entering(instance, m1, m2), enter21 = entering(instance, m2, m1);
  const auto leave12 = leaving(instance, m1, m2), leave21 = leaving(instance, m2, m1);
  Exchange best{0, 0, 0, 0, value_of(objective, m1.length, m2.length)};
  for (int a1 = 0; a1 <= n1; ++a1)
    for (int b1 = a1; b1 <= n1; ++b1) {
      if (deadline.passed()) return best;
      const double without1 = m1.without(instance, a1, b1);
      for (int a2 = 0; a2 <= n2; ++a2)
        for (int b2 = a2; b2 <= n2; ++b2) {
          const double c1 = a2 == b2 ? without1 : enter12[a1 * n2 + a2] + leave12[b1 * (n2 + 1) + b2];
          const double c2 =
              a1 == b1 ? m2.without(instance, a2, b2) : enter21[a2 * n1 + a1] + leave21[b2 * (n1 + 1) + b1];
          const double value = value_of(objective, c1, c2);
          if (value < best.value && c1 <= m1.max_length && c2 <= m2.max_length &&
              loads_allow(m1, m2, a1, b1, a2, b2))
            best = {a1, b1, a2, b2, value};
        }
    }
  return best;
}

Exchange cross_exact(const Instance& instance, Objective objective, Tour t1, Tour t2,
                     const Deadline& deadline, double below) {
  Exchange best{0, 0, 0, 0, kInfinity};
  Search& search = tables();
  for (auto window1 : windows(static_cast<int>(t1.cities.size())))
    for (auto window2 : windows(static_cast<int>(t2.cities.size()))) {
      search.prepare(instance, objective, t1, window1, t2, window2);
      search.look_only_below(std::min(below, best.value));
      const Exchange found = search.exact(deadline);
      if (found.moves())
        best = {found.a1 + window1.first, found.b1 + window1.first, found.a2 + window2.first,
                found.b2 + window2.first, found.value};
      else if (!best.moves())
        best.value = search.present();
      if (deadline.passed()) return best;
    }
  return best;
}

Exchange cross_from(const Instance& instance, Objective objective, Tour t1, Tour t2,
                    std::span<const std::pair<int, int>> starts) {
  Search& search = prepared(instance, objective, t1, t2);
  for (auto [a1, a2] : starts) search.from(a1, a2);
  return search.best();
}

void cross_labels(const Instance& instance, Objective objective, Tour t1, Tour t2, double* labels) {
  Search& search = prepared(instance, objective, t1, t2);
  const int n1 = static_cast<int>(t1.cities.size()), n2 = static_cast<int>(t2.cities.size());
  for (int a1 = 0; a1 <= n1; ++a1)
    for (int a2 = 0; a2 <= n2; ++a2) {
      search.forget();
      search.from(a1, a2);
      *labels++ = search.present() - search.best().value;
    }
}

void apply(const Exchange& x, std::vector<int>& t1, std::vector<int>& t2) {
  const std::vector<int> s1(t1.begin() + x.a1, t1.begin() + x.b1);
  const std::vector<int> s2(t2.begin() + x.a2, t2.begin() + x.b2);
  t1.erase(t1.begin() + x.a1, t1.begin() + x.b1);
  t1.insert(t1.begin() + x.a1, s2.begin(), s2.end());
  t2.erase(t2.begin() + x.a2, t2.begin() + x.b2);
  t2.insert(t2.begin() + x.a2, s1.begin(), s1.end());
}

Simd simd() { return loops == &kAvx2 && has_avx2() ? Simd::avx2 : Simd::portable; }

bool use_simd(Simd wanted) {
  if (wanted == Simd::avx2 && !has_avx2()) return false;
  loops = wanted == Simd::avx2 ? &kAvx2 : &kPortable;
  return true;
}

}  // namespace neurocross
