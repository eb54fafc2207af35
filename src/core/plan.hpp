// A plan under change: routes as linked lists, so that a city comes and goes in constant time
// however long its route is, with a journal that takes a step back.
#pragma once

#include <span>
#include <vector>

#include "instance.hpp"

namespace neurocross {

using Tours = std::vector<std::vector<int>>;

class Plan {
 public:
  explicit Plan(const Instance& instance);

  const Instance& instance() const { return *in_; }
  // The depot of route r stands in the list as a node of its own, before the first city and after
  // the last.
  int depot(int r) const { return in_->nodes() + r; }
  bool is_depot(int node) const { return node >= in_->nodes(); }
  int next(int node) const { return at_[node].next; }
  int previous(int node) const { return at_[node].previous; }
  // The route a city is on; -1 if it is on none.
  int route(int node) const { return at_[node].route; }

  int size(int r) const { return size_[r]; }
  double length(int r) const { return length_[r]; }
  double load(int r) const { return load_[r]; }
  // Routes that have a city, in no particular order.
  std::span<const int> used() const { return used_; }
  // How far the routes are beyond their limits, by load and by length.
  double excess_load(int r) const { return std::max(0.0, load_[r] - in_->vehicle(r).capacity); }
  double excess_length(int r) const { return std::max(0.0, length_[r] - in_->vehicle(r).max_length); }

  // From a node to the next; either may be the route's depot.
  double link(int r, int u, int v) const {
    const int nodes = in_->nodes();
    if (v >= nodes) return u >= nodes ? 0.0 : in_->back(r, u);
    return in_->arc(u >= nodes ? in_->vehicle(r).start : u, v);
  }
  // What route(node) grows by if the city goes behind the node (a city or a route's depot).
  double insertion(int city, int after) const {
    const Node& a = at_[after];
    return link(a.route, after, city) + link(a.route, city, a.next) - a.to_next;
  }
  // The way from a node to the next on its route.
  double to_next(int node) const { return at_[node].to_next; }
  // The longer of the ways to the nodes beside it; infinite beside a depot.
  double reach(int node) const { return at_[node].reach; }
  // From a city to a node of route r, there or back, where arcs are symmetric.
  double between(int r, int city, int node, bool node_is_next) const {
    if (node < in_->nodes()) return in_->arc(city, node);
    return node_is_next ? in_->back(r, city) : in_->arc(city, in_->vehicle(r).start);
  }
  void insert(int city, int after);
  void remove(int city);

  // Steps: everything since the last `mark` can be undone.
  void mark();
  void undo();
  // Routes touched since the mark with the length and load they had then.
  struct Touched {
    int route;
    double length, load;
  };
  std::span<const Touched> touched() const { return touched_; }

  void assign(const Tours& tours);
  Tours tours() const;
  std::vector<int> tour(int r) const;
  void replace(int r, std::span<const int> cities);
  // Sums of many small changes drift: measure every route anew.
  void measure();

 private:
  void touch(int r);
  void put(int city, int after);
  void take(int city);
  void measure_reach(int node);

  // What is read together is kept together: one line of the cache for a node.
  struct Node {
    double to_next = 0.0, reach = kInfinity;
    int next = -1, previous = -1, route = -1;
  };
  struct Change {
    int city, after;
    bool inserted;
  };

  const Instance* in_;
  std::vector<Node> at_;
  std::vector<int> size_;
  std::vector<double> length_, load_;
  std::vector<int> used_, place_in_used_;
  std::vector<Change> journal_;
  std::vector<Touched> touched_;
  std::vector<unsigned> touched_in_;
  unsigned step_ = 1;
};

}  // namespace neurocross
