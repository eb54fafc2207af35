// The cost-decrement prediction model without torch: what it sees, and its forward pass.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cross.hpp"

namespace neurocross {

// The nodes of a pair of tours, in order: start depot, cities, end depot of tour 1, then of tour 2.
inline std::size_t graph_nodes(Tour t1, Tour t2) { return t1.cities.size() + t2.cities.size() + 4; }

// Arcs between the nodes of a pair of tours, row-major. The column of an end holds the cheapest way
// back of that tour's vehicle: it may lead to another depot than the one in use.
void pair_arcs(const Instance& instance, Tour t1, Tour t2, double* arcs);

// Sizes and form of the network; predictor/spec.py says what they mean.
struct Form {
  int layers, hidden, edge_depth, node_depth, head_depth, heads, triangles, quadrants;
  bool residual, skip, cuts;
  int outputs, node_features, edge_features;
};

// A matrix as training left it: rows are outputs, columns inputs; a vector has one column.
struct Tensor {
  const float* values;
  std::size_t rows, columns;
};

class Network {
 public:
  // Throws std::invalid_argument if a tensor is missing or has another shape than the form says.
  Network(const Form& form, const std::map<std::string, Tensor>& tensors);
  ~Network();
  Network(Network&&) noexcept;

  const Form& form() const;

  // y*(a1, a2) of one pair of tours of n1 and n2 cities, (n1+1, n2+1, outputs), from the features of
  // its N = n1+n2+4 nodes (N, node_features) and edges (N, N, edge_features). False, and nothing of
  // use in `out`, if the deadline came first.
  bool predict(int n1, int n2, const float* nodes, const float* edges, float* out,
               const Deadline& deadline) const;

 private:
  struct Packed;
  std::unique_ptr<Packed> packed_;
};

}  // namespace neurocross
