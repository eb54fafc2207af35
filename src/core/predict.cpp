#include "predict.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <vector>

namespace neurocross {

void pair_arcs(const Instance& instance, Tour t1, Tour t2, double* arcs) {
  std::vector<int> nodes;
  const std::size_t n = graph_nodes(t1, t2);
  nodes.reserve(n);
  std::size_t ends[2];
  for (int k = 0; k < 2; ++k) {
    const Tour& tour = k == 0 ? t1 : t2;
    nodes.push_back(instance.vehicle(tour.vehicle).start);
    nodes.insert(nodes.end(), tour.cities.begin(), tour.cities.end());
    ends[k] = nodes.size();
    nodes.push_back(instance.end_depot(tour.vehicle, nodes.back()));
  }
  for (std::size_t i = 0; i < n; ++i) {
    double* row = arcs + i * n;
    for (std::size_t j = 0; j < n; ++j) row[j] = instance.arc(nodes[i], nodes[j]);
    row[ends[0]] = instance.back(t1.vehicle, nodes[i]);
    row[ends[1]] = instance.back(t2.vehicle, nodes[i]);
  }
}

namespace {

constexpr std::size_t kPad = 16;  // widths are multiples of the widest register
constexpr int kMostHeads = 64;
constexpr std::size_t kBand = 64;  // rows of a triangle product at a time
constexpr float kReach = 15.0f;    // as in train/network.py
constexpr float kSharpness = 4.0f;
constexpr float kNothing = 1e-13f;

std::size_t padded(std::size_t width) { return (width + kPad - 1) / kPad * kPad; }

// Weights with inputs as rows and outputs as columns, so that a row is multiplied by one input.
struct LayerView {
  const float* weights;
  const float* bias;
  int depth;
  std::size_t width;
};

struct AttentiveView {
  const float *from_i, *from_j, *from_edge, *first_bias;  // phi_e and phi_w side by side
  const LayerView *phi_e, *phi_w;
  int edge_layers;
  const float *edge_scale, *edge_shift;
  const float *node_own, *node_seen, *node_bias;
  const LayerView* phi_n;
  int node_layers;
  const float *node_scale, *node_shift;
  LayerView triangle, quadrant;
};

struct HeadView {
  const float *node[4], *added[2], *removed[2], *first_bias;
  const LayerView* phi_c;
  int layers;
};

struct NetworkView {
  LayerView embed_nodes, embed_edges;
  const AttentiveView* layers;
  HeadView head;
};

struct Sizes : Form {
  std::size_t nodes, n1;
  std::size_t node_stride, edge_stride;  // embedding, features (and triangles) of a node, of an edge
  std::size_t heads_width, row;          // padded: outputs of phi_w and phi_c; nodes
  int edge_depth;                        // inputs of phi_e that belong to an edge
};

struct Workspace {
  float *nodes, *edges;  // [h | x] and [h | x | t]
  float *from_i, *from_j, *first, *odd, *even, *change, *band, *z, *seen, *zeros, *u, *v;
  const Deadline* deadline;
};

// Whether what is being computed is no longer wanted.
bool late(const Workspace& w) { return w.deadline->passed(); }

// The same code for each instruction set.
#define ROWS 4
#define COLUMNS 2
#if defined(__GNUC__)
#define LANES 4
#else
#define LANES 1
#endif
namespace portable {
#include "predict_kernels.inl"
}
#undef LANES
#undef ROWS
#undef COLUMNS

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define WIDE_REGISTERS
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define LANES 8
#define ROWS 6
#define COLUMNS 2
namespace avx2 {
#include "predict_kernels.inl"
}
#undef LANES
#undef ROWS
#undef COLUMNS
#pragma GCC pop_options
#pragma GCC push_options
#pragma GCC target("avx512f,avx512vl,avx512dq,avx512bw,fma,prefer-vector-width=512")
#define LANES 16
#define ROWS 6
#define COLUMNS 4
namespace avx512 {
#include "predict_kernels.inl"
}
#undef LANES
#undef ROWS
#undef COLUMNS
#pragma GCC pop_options
#endif

using Forward = void (*)(const Sizes&, const NetworkView&, const Workspace&, const float*, const float*,
                         float*);

Forward fastest() {
#if defined(WIDE_REGISTERS)
  if (simd() == Simd::avx2) {
    static const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
    static const bool fma = __builtin_cpu_supports("fma");
    if (avx512) return avx512::forward;
    if (fma) return avx2::forward;
  }
#endif
  return portable::forward;
}

}  // namespace

struct Network::Packed {
  Form form;
  std::vector<std::vector<float>> memory;  // of all weights below
  std::vector<std::vector<LayerView>> stacks;
  std::vector<AttentiveView> layers;
  NetworkView view;

  const float* keep(std::vector<float> values) {
    memory.push_back(std::move(values));
    return memory.back().data();
  }
};

namespace {

// Takes tensors by name and checks their shapes.
class Packer {
 public:
  explicit Packer(const std::map<std::string, Tensor>& tensors) : tensors_(tensors) {}

  const Tensor& take(const std::string& name, std::size_t rows, std::size_t columns) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) throw std::invalid_argument("tensor '" + name + "' is missing");
    const Tensor& t = found->second;
    if (t.rows != rows || t.columns != columns)
      throw std::invalid_argument("tensor '" + name + "' is " + std::to_string(t.rows) + " x " +
                                  std::to_string(t.columns) + ", not " + std::to_string(rows) + " x " +
                                  std::to_string(columns));
    return t;
  }

 private:
  const std::map<std::string, Tensor>& tensors_;
};

// Columns first .. first+count-1 of a matrix, transposed into place `at` of rows of `width`.
void transpose_into(std::vector<float>& to, std::size_t width, std::size_t at, const Tensor& from,
                    std::size_t first, std::size_t count) {
  to.resize(std::max(to.size(), count * width));
  for (std::size_t k = 0; k < count; ++k)
    for (std::size_t o = 0; o < from.rows; ++o)
      to[k * width + at + o] = from.values[o * from.columns + first + k];
}

std::vector<float> transposed(const Tensor& from, std::size_t width, std::size_t first, std::size_t count) {
  std::vector<float> to(count * width);
  transpose_into(to, width, 0, from, first, count);
  return to;
}

std::vector<float> widened(const Tensor& from, std::size_t width) {
  std::vector<float> to(width);
  std::copy(from.values, from.values + from.rows, to.begin());
  return to;
}

}  // namespace

Network::Network(const Form& form, const std::map<std::string, Tensor>& tensors)
    : packed_(std::make_unique<Packed>()) {
  Packed& p = *packed_;
  if (form.hidden % kPad || form.hidden < 1 || form.heads < 1 || form.heads > kMostHeads ||
      form.hidden % form.heads || form.edge_depth < 2 || form.node_depth < 2 || form.head_depth < 2)
    throw std::invalid_argument("its sizes are not those of a network the core knows");
  Packer packer(tensors);
  p.form = form;
  const std::size_t C = form.hidden, fn = form.node_features, fe = form.edge_features;
  const std::size_t few = padded(std::max(form.heads, form.outputs));

  const auto linear = [&](const std::string& name, std::size_t in, std::size_t out, std::size_t width) {
    const float* weights = p.keep(transposed(packer.take(name + ".weight", out, in), width, 0, in));
    const float* bias = p.keep(widened(packer.take(name + ".bias", out, 1), width));
    return LayerView{weights, bias, static_cast<int>(in), width};
  };
  // The layers after the first; the last has `out` outputs in rows of `width`.
  const auto rest = [&](const std::string& name, int depth, std::size_t out, std::size_t width) {
    std::vector<LayerView> stack;
    for (int k = 1; k < depth; ++k) {
      const bool last = k + 1 == depth;
      stack.push_back(linear(name + ".linear." + std::to_string(k), C, last ? out : C, last ? width : C));
    }
    p.stacks.push_back(std::move(stack));
    return p.stacks.back().data();
  };

  p.stacks.reserve(3 * form.layers + 1);
  p.view.embed_nodes = linear("embed_nodes", fn, C, C);
  p.view.embed_edges = linear("embed_edges", fe, C, C);
  const std::size_t edge_inputs = C + fe + form.triangles + form.quadrants, inputs = 2 * C + edge_inputs;
  for (int l = 0; l < form.layers; ++l) {
    const std::string name = "layers." + std::to_string(l);
    AttentiveView layer{};
    std::vector<float> from_i, from_j, from_edge, bias(2 * C);
    for (int k = 0; k < 2; ++k) {
      const std::string first = name + (k ? ".phi_w" : ".phi_e") + ".linear.0";
      const Tensor& weights = packer.take(first + ".weight", C, inputs);
      transpose_into(from_i, 2 * C, k * C, weights, 0, C);
      transpose_into(from_j, 2 * C, k * C, weights, C, C);
      transpose_into(from_edge, 2 * C, k * C, weights, 2 * C, edge_inputs);
      const Tensor& b = packer.take(first + ".bias", C, 1);
      std::copy(b.values, b.values + C, bias.begin() + k * C);
    }
    layer.from_i = p.keep(std::move(from_i));
    layer.from_j = p.keep(std::move(from_j));
    layer.from_edge = p.keep(std::move(from_edge));
    layer.first_bias = p.keep(std::move(bias));
    layer.phi_e = rest(name + ".phi_e", form.edge_depth, C, C);
    layer.phi_w = rest(name + ".phi_w", form.edge_depth, form.heads, few);
    layer.edge_layers = form.edge_depth - 1;
    const Tensor& node = packer.take(name + ".phi_n.linear.0.weight", C, 2 * C);
    layer.node_own = p.keep(transposed(node, C, 0, C));
    layer.node_seen = p.keep(transposed(node, C, C, C));
    layer.node_bias = p.keep(widened(packer.take(name + ".phi_n.linear.0.bias", C, 1), C));
    layer.phi_n = rest(name + ".phi_n", form.node_depth, C, C);
    layer.node_layers = form.node_depth - 1;
    if (form.residual) {
      layer.edge_scale = p.keep(widened(packer.take(name + ".norm_edges.weight", C, 1), C));
      layer.edge_shift = p.keep(widened(packer.take(name + ".norm_edges.bias", C, 1), C));
      layer.node_scale = p.keep(widened(packer.take(name + ".norm_nodes.weight", C, 1), C));
      layer.node_shift = p.keep(widened(packer.take(name + ".norm_nodes.bias", C, 1), C));
    }
    if (form.triangles)
      layer.triangle = linear(name + ".triangle.linear.0", C, 2 * form.triangles, padded(2 * form.triangles));
    if (form.quadrants)
      layer.quadrant = linear(name + ".quadrant.linear.0", C, form.quadrants, padded(form.quadrants));
    p.layers.push_back(layer);
  }
  const std::size_t node = form.skip ? C + fn : C, edge = form.skip ? C + fe : C;
  const Tensor& first = packer.take("phi_c.linear.0.weight", C, 4 * node + 4 * edge);
  HeadView& head = p.view.head;
  for (int k = 0; k < 4; ++k) head.node[k] = p.keep(transposed(first, C, k * node, node));
  for (int k = 0; k < 2; ++k) {
    head.added[k] = p.keep(transposed(first, C, 4 * node + k * edge, edge));
    head.removed[k] = p.keep(transposed(first, C, 4 * node + (2 + k) * edge, edge));
  }
  head.first_bias = p.keep(widened(packer.take("phi_c.linear.0.bias", C, 1), C));
  head.phi_c = rest("phi_c", form.head_depth, form.outputs, few);
  head.layers = form.head_depth - 1;
  p.view.layers = p.layers.data();
}

Network::~Network() = default;
Network::Network(Network&&) noexcept = default;

const Form& Network::form() const { return packed_->form; }

bool Network::predict(int n1, int n2, const float* nodes, const float* edges, float* out,
                      const Deadline& deadline) const {
  const Form& form = packed_->form;
  Sizes s;
  static_cast<Form&>(s) = form;
  const std::size_t n = s.nodes = static_cast<std::size_t>(n1) + n2 + 4, C = form.hidden;
  s.n1 = n1;
  s.node_stride = C + form.node_features;
  s.edge_depth = form.hidden + form.edge_features + form.triangles + form.quadrants;
  s.edge_stride = s.edge_depth;
  s.heads_width = padded(std::max(form.heads, form.outputs));
  s.row = padded(n);

  // Grown once, then kept by the thread: nothing is allocated while a search runs.
  thread_local std::vector<float> memory;
  const std::size_t tables = std::max(form.triangles, form.quadrants) * n * s.row;
  const std::size_t widest = std::max({2 * C, padded(2 * form.triangles), padded(form.quadrants)});
  const std::size_t needed = n * s.node_stride + n * n * s.edge_stride + 3 * n * widest + 4 * n * C +
                             kBand * s.row + n * s.heads_width + 2 * widest + s.row + 2 * tables + 20 * kPad;
  if (memory.size() < needed) memory.assign(needed, 0.0f);
  float* free = memory.data();
  const auto part = [&](std::size_t size) {
    float* begin = free;
    free += size;
    return begin;
  };
  Workspace w;
  w.nodes = part(n * s.node_stride);
  w.edges = part(n * n * s.edge_stride);
  w.from_i = part(n * 2 * C);
  w.from_j = part(n * 2 * C);
  w.first = part(n * widest);
  w.odd = part(n * C);
  w.even = part(n * C);
  w.change = part(n * C);
  w.seen = part(n * C);
  w.band = part(kBand * s.row);
  w.z = part(n * s.heads_width);
  w.zeros = part(std::max(widest, s.row));
  std::fill(w.zeros, free, 0.0f);
  w.u = part(tables);
  w.v = part(tables);
  w.deadline = &deadline;
  fastest()(s, packed_->view, w, nodes, edges, out);
  return !late(w);
}

}  // namespace neurocross
