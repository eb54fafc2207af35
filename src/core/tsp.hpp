// One route as a travelling salesman's tour: Lin-Kernighan steps and or-opt on neighbour lists with
// a queue of nodes worth a look, and local kicks around them. Never scans a whole tour for a move.
//
// The route becomes a cycle: its start and its end are two nodes joined by an edge that stays. Every
// end rule is then a symmetric tour, as long as the distances are the same both ways.
#pragma once

#include <vector>

#include "instance.hpp"
#include "neighbours.hpp"
#include "random.hpp"

namespace neurocross {

class TourSearch {
 public:
  // Only for instances whose distances are `two_way`.
  TourSearch(const Instance& instance, const Neighbours& neighbours, double tolerance);

  // To a local optimum. Returns the length saved.
  double improve(int vehicle, std::vector<int>& cities, const Deadline& deadline = {});

  // To a local optimum, then `kicks` double bridges over short segments, each kept if it pays once
  // the nodes around it are optimal again. Returns the length saved.
  double iterate(int vehicle, std::vector<int>& cities, long kicks, Random& random,
                 const Deadline& deadline = {});

 private:
  struct Step {  // remove (next(t1), ..), see descend
    double gain;
    int last, to;
  };
  struct Flip {
    int from, to;
    bool turned;
  };

  void load(int vehicle, const std::vector<int>& cities);
  void unload(std::vector<int>& cities) const;

  int next(int u) const { return reversed_ ? before(position_[u]) : behind(position_[u]); }
  int previous(int u) const { return reversed_ ? behind(position_[u]) : before(position_[u]); }
  int behind(int p) const { return order_[p + 1 < size_ ? p + 1 : 0]; }
  int before(int p) const { return order_[p > 0 ? p - 1 : size_ - 1]; }
  bool in_tour(int u) const { return position_[u] >= 0; }
  bool fixed(int u, int v) const { return u >= start_ && v >= start_; }
  double cost(int u, int v) const;
  const std::vector<int>& candidates(int u) const;
  template <class Visit>
  void each_candidate(int u, double within, Visit visit) const;

  void flip(int first, int last);  // reverses the path from first on to last
  void reverse(int from, int to);
  void undo(std::size_t flips);
  void look_at(int u);

  double settle(const Deadline& deadline);
  double lin_kernighan(int t1);
  double descend(int t1, double gain, int depth);
  double or_opt(int first);
  double kick(Random& random);

  const Instance& in_;
  const Neighbours& neighbours_;
  const double tolerance_;
  const bool plain_;       // arcs are distances: no service in them
  const int start_, end_;  // the two depot nodes, numbered behind the others
  int vehicle_ = 0, size_ = 0;
  bool reversed_ = false;  // the cycle is read backwards
  std::vector<int> order_, position_;
  std::vector<int> at_start_, at_end_;  // cities of this tour nearest to its start and its end
  std::vector<Flip> flips_;
  std::vector<int> queue_;
  std::size_t queue_head_ = 0;
  std::vector<char> queued_;
};

}  // namespace neurocross
