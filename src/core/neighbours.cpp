#include "neighbours.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <queue>
#include <tuple>

namespace neurocross {
namespace {

using Point = std::array<double, 3>;

double squared(const Point& a, const Point& b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

// A k-d tree over the nodes' points: median splits, leaves of a few nodes.
class Tree {
 public:
  explicit Tree(std::vector<Point> points) : points_(std::move(points)), order_(points_.size()) {
    std::iota(order_.begin(), order_.end(), 0);
    build(0, static_cast<int>(order_.size()));
  }

  // The `count` nearest of a node, itself left out, in no particular order.
  void nearest(int node, int count, std::vector<int>& found) {
    heap_ = {};
    search(0, static_cast<int>(order_.size()), node, static_cast<std::size_t>(count));
    found.clear();
    for (; !heap_.empty(); heap_.pop()) found.push_back(heap_.top().second);
  }

 private:
  static constexpr int kLeaf = 8;

  int widest(int first, int last) const {
    Point low = points_[order_[first]], high = low;
    for (int k = first; k < last; ++k)
      for (int a = 0; a < 3; ++a) {
        low[a] = std::min(low[a], points_[order_[k]][a]);
        high[a] = std::max(high[a], points_[order_[k]][a]);
      }
    int axis = 0;
    for (int a = 1; a < 3; ++a)
      if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    return axis;
  }

  void build(int first, int last) {
    if (last - first <= kLeaf) return;
    const int middle = (first + last) / 2, axis = widest(first, last);
    std::nth_element(
        order_.begin() + first, order_.begin() + middle, order_.begin() + last,
        [&](int u, int v) { return std::pair(points_[u][axis], u) < std::pair(points_[v][axis], v); });
    if (axis_.size() < order_.size()) axis_.resize(order_.size());
    axis_[middle] = axis;
    build(first, middle);
    build(middle + 1, last);
  }

  void offer(int node, int other, std::size_t count) {
    if (other == node) return;
    heap_.push({squared(points_[node], points_[other]), other});
    if (heap_.size() > count) heap_.pop();
  }

  void search(int first, int last, int node, std::size_t count) {
    if (last - first <= kLeaf) {
      for (int k = first; k < last; ++k) offer(node, order_[k], count);
      return;
    }
    const int middle = (first + last) / 2, axis = axis_[middle];
    const double beyond = points_[node][axis] - points_[order_[middle]][axis];
    offer(node, order_[middle], count);
    if (beyond < 0)
      search(first, middle, node, count);
    else
      search(middle + 1, last, node, count);
    if (heap_.size() < count || beyond * beyond <= heap_.top().first) {
      if (beyond < 0)
        search(middle + 1, last, node, count);
      else
        search(first, middle, node, count);
    }
  }

  std::vector<Point> points_;
  std::vector<int> order_, axis_;
  std::priority_queue<std::pair<double, int>> heap_;
};

}  // namespace

Neighbours::Neighbours(const Instance& instance, int width) : width_(std::min(width, instance.nodes() - 1)) {
  const int nodes = instance.nodes();
  list_.resize(first(nodes));
  distance_.resize(list_.size());
  if (width_ == 0) return;
  const bool in_space = instance.row(0) == nullptr;
  // Straight lines order nodes almost as every metric does; the surplus makes up for the rest.
  Tree tree(in_space ? instance.points() : std::vector<Point>{});
  std::vector<int> others;
  std::vector<std::pair<double, int>> ranked;
  for (int u = 0; u < nodes; ++u) {
    if (in_space) {
      tree.nearest(u, std::min(nodes - 1, width_ + width_ / 2), others);
    } else {
      others.resize(nodes);
      std::iota(others.begin(), others.end(), 0);
      others.erase(others.begin() + u);
    }
    ranked.clear();
    for (int v : others) ranked.push_back({0.5 * (instance.arc(u, v) + instance.arc(v, u)), v});
    std::partial_sort(ranked.begin(), ranked.begin() + width_, ranked.end());
    for (int k = 0; k < width_; ++k) std::tie(distance_[first(u) + k], list_[first(u) + k]) = ranked[k];
  }
}

}  // namespace neurocross
