// The nearest nodes of every node, by distance there and back.
#pragma once

#include <span>
#include <vector>

#include "instance.hpp"

namespace neurocross {

class Neighbours {
 public:
  // At most `width` of them for each node, nearest first. Linear memory, near linear time where
  // there are coordinates.
  Neighbours(const Instance& instance, int width);

  std::span<const int> of(int node) const {
    return {list_.data() + first(node), static_cast<std::size_t>(width_)};
  }
  // Half the way there and back, in the same order.
  std::span<const double> distances(int node) const {
    return {distance_.data() + first(node), static_cast<std::size_t>(width_)};
  }

 private:
  std::size_t first(int node) const { return static_cast<std::size_t>(node) * width_; }

  int width_;
  std::vector<int> list_;
  std::vector<double> distance_;
};

}  // namespace neurocross
