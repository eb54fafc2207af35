// The forward pass of f_theta. Included once for each instruction set, inside its own namespace and with the
// compiler set to it; LANES is the number of floats of a register. Only raw pointers here: an inline function of
// the standard library, compiled for a newer processor, could replace the one everybody else uses.

#if defined(__GNUC__)
typedef float Lanes __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef int Whole __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
inline Lanes as_floats(Whole bits) { return reinterpret_cast<const Lanes&>(bits); }
inline Whole as_bits(Lanes x) { return reinterpret_cast<const Whole&>(x); }
inline Whole to_whole(Lanes x) { return __builtin_convertvector(x, Whole); }
inline Lanes to_floats(Whole x) { return __builtin_convertvector(x, Lanes); }
#else
typedef float Lanes;
typedef int Whole;
inline Lanes as_floats(Whole bits) { return __builtin_bit_cast(float, bits); }
inline Whole as_bits(Lanes x) { return __builtin_bit_cast(int, x); }
inline Whole to_whole(Lanes x) { return static_cast<int>(x); }
inline Lanes to_floats(Whole x) { return static_cast<float>(x); }
#endif

inline Lanes load(const float* p) { return *reinterpret_cast<const Lanes*>(p); }
inline void store(float* p, Lanes x) { *reinterpret_cast<Lanes*>(p) = x; }
inline Lanes spread(float x) { return x - Lanes{}; }
inline Lanes between(Lanes x, float low, float high) {
  x = x > low ? x : spread(low);
  return x < high ? x : spread(high);
}

// e^x to the last bits of a float, |x| < 87: x = k ln 2 + r with |r| <= ln 2 / 2, then a polynomial in r.
inline Lanes exponential(Lanes x) {
  const Lanes shift = spread(12582912.0f);  // 1.5 * 2^23: adding it rounds to a whole number
  const Lanes whole = (x * 1.44269504f + shift) - shift;
  const Lanes r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;
  Lanes p = spread(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * r * r + r + 1.0f;
  return p * as_floats((to_whole(whole) + 127) << 23);
}

// ln x for a positive, normal x: x = 2^k m with m in [1/sqrt 2, sqrt 2), then a polynomial in m - 1.
inline Lanes logarithm(Lanes x) {
  const Whole bits = as_bits(x) - 0x3f3504f3;
  const Lanes k = to_floats(bits >> 23);
  const Lanes r = as_floats((bits & 0x007fffff) + 0x3f3504f3) - 1.0f;
  Lanes p = spread(7.0376836292e-2f);
  p = p * r - 1.1514610310e-1f;
  p = p * r + 1.1676998740e-1f;
  p = p * r - 1.2420140846e-1f;
  p = p * r + 1.4249322787e-1f;
  p = p * r - 1.6668057665e-1f;
  p = p * r + 2.0000714765e-1f;
  p = p * r - 2.4999993993e-1f;
  p = p * r + 3.3333331174e-1f;
  const Lanes square = r * r;
  return (p * square * r - k * 2.12194440e-4f - 0.5f * square + r) + k * 0.693359375f;
}

inline Lanes mish(Lanes x) {
  const Lanes e = exponential(between(x, -80.0f, 20.0f));
  const Lanes n = e * (e + 2.0f);
  return x * (n / (n + 2.0f));
}

// R rows and V registers of columns of out = base + in * weights, through Mish if asked.
template <int R, int V, bool with_mish>
inline void block(const float* in, std::size_t in_stride, int depth, const float* weights, std::size_t width,
                  const float* base, std::size_t base_stride, float* out, std::size_t out_stride) {
  Lanes sum[R][V];
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < V; ++v) sum[r][v] = load(base + r * base_stride + v * LANES);
  for (int k = 0; k < depth; ++k) {
    Lanes w[V];
    for (int v = 0; v < V; ++v) w[v] = load(weights + k * width + v * LANES);
    for (int r = 0; r < R; ++r) {
      const Lanes x = spread(in[r * in_stride + k]);
      for (int v = 0; v < V; ++v) sum[r][v] += x * w[v];
    }
  }
  for (int r = 0; r < R; ++r)
    for (int v = 0; v < V; ++v)
      store(out + r * out_stride + v * LANES, with_mish ? mish(sum[r][v]) : sum[r][v]);
}

// out = base + in * weights for many rows; `width` is a multiple of kLanes.
template <bool with_mish>
void product(const float* in, std::size_t in_stride, std::size_t rows, int depth, const float* weights,
             std::size_t width, const float* base, std::size_t base_stride, float* out, std::size_t out_stride) {
  constexpr int R = ROWS, V = COLUMNS;
  for (std::size_t c = 0; c < width;) {
    const bool wide = c + V * LANES <= width;
    std::size_t r = 0;
    for (; r + R <= rows; r += R) {
      if (wide)
        block<R, V, with_mish>(in + r * in_stride, in_stride, depth, weights + c, width, base + r * base_stride + c,
                               base_stride, out + r * out_stride + c, out_stride);
      else
        block<R, 1, with_mish>(in + r * in_stride, in_stride, depth, weights + c, width, base + r * base_stride + c,
                               base_stride, out + r * out_stride + c, out_stride);
    }
    for (; r < rows; ++r) {
      if (wide)
        block<1, V, with_mish>(in + r * in_stride, in_stride, depth, weights + c, width, base + r * base_stride + c,
                               base_stride, out + r * out_stride + c, out_stride);
      else
        block<1, 1, with_mish>(in + r * in_stride, in_stride, depth, weights + c, width, base + r * base_stride + c,
                               base_stride, out + r * out_stride + c, out_stride);
    }
    c += wide ? V * LANES : LANES;
  }
}

// The linear layers of an MLP after its first, from `hidden` to `out`.
void rest_of(const LayerView* layers, int count, const float* hidden, std::size_t hidden_stride, std::size_t rows,
             const Workspace& w, float* out, std::size_t out_stride) {
  for (int k = 0; k < count; ++k) {
    const LayerView& layer = layers[k];
    if (k + 1 == count) {
      product<false>(hidden, hidden_stride, rows, layer.depth, layer.weights, layer.width, layer.bias, 0, out,
                     out_stride);
    } else {
      float* next = k % 2 ? w.even : w.odd;
      product<true>(hidden, hidden_stride, rows, layer.depth, layer.weights, layer.width, layer.bias, 0, next,
                    layer.width);
      hidden = next, hidden_stride = layer.width;
    }
  }
}

// x = LayerNorm(x + change)
void add_and_norm(float* x, const float* change, int width, const float* scale, const float* shift) {
  Lanes sum{}, square{};
  for (int c = 0; c < width; c += LANES) {
    const Lanes y = load(x + c) + load(change + c);
    store(x + c, y);
    sum += y;
  }
  float total = 0;
  for (int l = 0; l < LANES; ++l) total += reinterpret_cast<const float*>(&sum)[l];
  const float mean = total / width;
  for (int c = 0; c < width; c += LANES) {
    const Lanes y = load(x + c) - mean;
    square += y * y;
  }
  total = 0;
  for (int l = 0; l < LANES; ++l) total += reinterpret_cast<const float*>(&square)[l];
  const float inverse = 1.0f / __builtin_sqrtf(total / width + 1e-5f);
  for (int c = 0; c < width; c += LANES)
    store(x + c, (load(x + c) - mean) * inverse * load(scale + c) + load(shift + c));
}

// h'_i = phi_n(h_i, sum over j of w_ij h'_ij), the attention w_ij = softmax over j != i of z_ij.
void look_around(const Sizes& s, std::size_t i, const float* edges, float* z, float* seen) {
  const std::size_t zs = s.heads_width;
  for (int head = 0; head < s.heads; ++head) {
    float highest = -1e30f;
    for (std::size_t j = 0; j < s.nodes; ++j)
      if (j != i && z[j * zs + head] > highest) highest = z[j * zs + head];
    for (std::size_t j = 0; j < s.nodes; ++j) z[j * zs + head] -= highest;
  }
  Lanes sums[kMostHeads / LANES] = {};
  for (std::size_t j = 0; j < s.nodes; ++j)
    for (std::size_t head = 0; head < zs; head += LANES) {
      const Lanes weight = exponential(between(load(z + j * zs + head), -80.0f, 0.0f));
      store(z + j * zs + head, weight);
      sums[head / LANES] += weight;
    }
  for (int head = 0; head < s.heads; ++head) {
    const float inverse = 1.0f / (reinterpret_cast<const float*>(sums)[head] - z[i * zs + head]);
    z[i * zs + head] = 0.0f;
    const int group = s.hidden / s.heads;
    float* to = seen + head * group;
    for (int c = 0; c < group; ++c) to[c] = 0.0f;
    for (std::size_t j = 0; j < s.nodes; ++j) {
      const float weight = z[j * zs + head] * inverse;
      const float* from = edges + j * s.edge_stride + head * group;
      for (int c = 0; c < group; ++c) to[c] += weight * from[c];
    }
  }
}

// t_ik = 1/4 log sum over j of exp(4 (u_ij + v_jk)), into the last part of every edge.
void triangles(const Sizes& s, const LayerView& linear, const Workspace& w) {
  const std::size_t n = s.nodes, row = s.row, plane = n * row;
  for (std::size_t i = 0; i < n; ++i) {
    product<false>(w.edges + i * n * s.edge_stride, s.edge_stride, n, s.hidden, linear.weights, linear.width,
                   linear.bias, 0, w.first, linear.width);
    for (std::size_t k = 0; k < n * linear.width; k += LANES)
      store(w.first + k, exponential(between(load(w.first + k) * kSharpness, -kReach, kReach)));
    for (int c = 0; c < 2 * s.triangles; ++c) {
      float* to = (c < s.triangles ? w.u + c * plane : w.v + (c - s.triangles) * plane) + i * row;
      for (std::size_t j = 0; j < n; ++j) to[j] = w.first[j * linear.width + c];
    }
  }
  for (int c = 0; c < s.triangles && !late(w); ++c) {
    float* slot = w.edges + s.hidden + s.edge_features + c;
    for (std::size_t i = 0; i < n; i += kBand) {
      const std::size_t rows = i + kBand < n ? kBand : n - i;
      product<false>(w.u + c * plane + i * row, row, rows, static_cast<int>(n), w.v + c * plane, row, w.zeros, 0,
                     w.band, row);
      for (std::size_t r = 0; r < rows; ++r) {
        for (std::size_t k = 0; k < row; k += LANES)
          store(w.band + r * row + k, logarithm(load(w.band + r * row + k)) * (1.0f / kSharpness));
        for (std::size_t k = 0; k < n; ++k) slot[((i + r) * n + k) * s.edge_stride] = w.band[r * row + k];
      }
    }
  }
}

// s_ik = 1/4 log sum over j after i, l after k of exp(4 q_jl), into the very last part of every edge.
void quadrants(const Sizes& s, const LayerView& linear, const Workspace& w) {
  const std::size_t n = s.nodes, row = s.row, plane = n * row, n1 = s.n1 + 2;
  for (std::size_t i = 0; i < n; ++i) {
    product<false>(w.edges + i * n * s.edge_stride, s.edge_stride, n, s.hidden, linear.weights, linear.width,
                   linear.bias, 0, w.first, linear.width);
    for (std::size_t k = 0; k < n * linear.width; k += LANES)
      store(w.first + k, exponential(between(load(w.first + k) * kSharpness, -kReach, kReach)));
    for (int c = 0; c < s.quadrants; ++c) {  // over the later l, tour by tour
      float* to = w.u + c * plane + i * row;
      for (std::size_t end = n, begin = n1;; end = n1, begin = 0) {
        float sum = 0.0f;
        for (std::size_t k = end; k-- > begin;) {
          to[k] = sum;
          sum += w.first[k * linear.width + c];
        }
        if (begin == 0) break;
      }
    }
  }
  for (int c = 0; c < s.quadrants; ++c) {  // over the later j
    float* slot = w.edges + s.hidden + s.edge_features + s.triangles + c;
    const float* from = w.u + c * plane;
    for (std::size_t i = n; i-- > 0;) {
      const bool last = i + 1 == n || i + 1 == n1;
      for (std::size_t k = 0; k < row; k += LANES) {
        const Lanes sum = last ? spread(0.0f) : load(w.band + k) + load(from + (i + 1) * row + k);
        store(w.band + k, sum);
        store(w.band + row + k, logarithm(sum + kNothing) * (1.0f / kSharpness));
      }
      for (std::size_t k = 0; k < n; ++k) slot[(i * n + k) * s.edge_stride] = w.band[row + k];
    }
  }
}

void attentive_layer(const Sizes& s, const AttentiveView& layer, const Workspace& w) {
  const std::size_t n = s.nodes, both = 2 * s.hidden;
  if (s.triangles) triangles(s, layer.triangle, w);
  if (s.quadrants) quadrants(s, layer.quadrant, w);
  // The part of the first layers of phi_e and phi_w, side by side, that belongs to a node.
  product<false>(w.nodes, s.node_stride, n, s.hidden, layer.from_i, both, layer.first_bias, 0, w.from_i, both);
  product<false>(w.nodes, s.node_stride, n, s.hidden, layer.from_j, both, w.zeros, 0, w.from_j, both);
  for (std::size_t i = 0; i < n && !late(w); ++i) {
    float* edges = w.edges + i * n * s.edge_stride;
    for (std::size_t j = 0; j < n; ++j)
      for (std::size_t c = 0; c < both; c += LANES)
        store(w.first + j * both + c, load(w.from_i + i * both + c) + load(w.from_j + j * both + c));
    product<true>(edges, s.edge_stride, n, s.edge_depth, layer.from_edge, both, w.first, both, w.first, both);
    rest_of(layer.phi_w, layer.edge_layers, w.first + s.hidden, both, n, w, w.z, s.heads_width);
    if (s.residual) {
      rest_of(layer.phi_e, layer.edge_layers, w.first, both, n, w, w.change, s.hidden);
      for (std::size_t j = 0; j < n; ++j)
        add_and_norm(edges + j * s.edge_stride, w.change + j * s.hidden, s.hidden, layer.edge_scale, layer.edge_shift);
    } else {
      rest_of(layer.phi_e, layer.edge_layers, w.first, both, n, w, edges, s.edge_stride);
    }
    look_around(s, i, edges, w.z, w.seen + i * s.hidden);
  }
  product<false>(w.nodes, s.node_stride, n, s.hidden, layer.node_own, s.hidden, layer.node_bias, 0, w.first, s.hidden);
  product<true>(w.seen, s.hidden, n, s.hidden, layer.node_seen, s.hidden, w.first, s.hidden, w.first, s.hidden);
  if (s.residual) {
    rest_of(layer.phi_n, layer.node_layers, w.first, s.hidden, n, w, w.change, s.hidden);
    for (std::size_t i = 0; i < n; ++i)
      add_and_norm(w.nodes + i * s.node_stride, w.change + i * s.hidden, s.hidden, layer.node_scale, layer.node_shift);
  } else {
    rest_of(layer.phi_n, layer.node_layers, w.first, s.hidden, n, w, w.nodes, s.node_stride);
  }
}

// phi_c on all start pairs (a1, a2): two tables by node, two edges of each pair, then the rest.
void decrements(const Sizes& s, const HeadView& head, const Workspace& w, float* out) {
  const std::size_t n = s.nodes, n1 = s.n1 + 2, C = s.hidden;
  const std::size_t node_depth = s.skip ? C + s.node_features : C;
  const int edge_depth = static_cast<int>(s.skip ? C + s.edge_features : C);
  // Of a1 and a1+1 and the link between them; then of a2, a2+1 and theirs.
  for (int tour = 0; tour < 2; ++tour) {
    const std::size_t from = tour ? n1 : 0, rows = (tour ? n - n1 : n1) - 1;
    float* table = tour ? w.from_j : w.from_i;
    const float* nodes = w.nodes + from * s.node_stride;
    product<false>(nodes, s.node_stride, rows, static_cast<int>(node_depth), head.node[2 * tour], C,
                   tour ? w.zeros : head.first_bias, 0, table, C);
    product<false>(nodes + s.node_stride, s.node_stride, rows, static_cast<int>(node_depth), head.node[2 * tour + 1],
                   C, table, C, table, C);
    product<false>(w.edges + (from * n + from + 1) * s.edge_stride, (n + 1) * s.edge_stride, rows, edge_depth,
                   head.removed[tour], C, table, C, table, C);
  }
  const std::size_t columns = n - n1 - 1, next = s.cuts ? 0 : 1;
  for (std::size_t a1 = 0; a1 + 1 < n1 && !late(w); ++a1) {
    for (std::size_t a2 = 0; a2 < columns; ++a2)
      for (std::size_t c = 0; c < C; c += LANES)
        store(w.first + a2 * C + c, load(w.from_i + a1 * C + c) + load(w.from_j + a2 * C + c));
    product<false>(w.edges + (a1 * n + n1 + next) * s.edge_stride, s.edge_stride, columns, edge_depth, head.added[0], C,
                   w.first, C, w.first, C);  // (a1, a2 + next)
    product<true>(w.edges + (n1 * n + a1 + next) * s.edge_stride, n * s.edge_stride, columns, edge_depth, head.added[1],
                  C, w.first, C, w.first, C);  // (a2, a1 + next)
    rest_of(head.phi_c, head.layers, w.first, C, columns, w, w.z, s.heads_width);
    for (std::size_t a2 = 0; a2 < columns; ++a2)
      for (int o = 0; o < s.outputs; ++o) out[(a1 * columns + a2) * s.outputs + o] = w.z[a2 * s.heads_width + o];
  }
}

void forward(const Sizes& s, const NetworkView& network, const Workspace& w, const float* x, const float* x_edges,
             float* out) {
  const std::size_t n = s.nodes;
  product<false>(x, s.node_features, n, s.node_features, network.embed_nodes.weights, s.hidden,
                 network.embed_nodes.bias, 0, w.nodes, s.node_stride);
  product<false>(x_edges, s.edge_features, n * n, s.edge_features, network.embed_edges.weights, s.hidden,
                 network.embed_edges.bias, 0, w.edges, s.edge_stride);
  for (std::size_t i = 0; i < n; ++i)
    for (int c = 0; c < s.node_features; ++c) w.nodes[i * s.node_stride + s.hidden + c] = x[i * s.node_features + c];
  for (std::size_t e = 0; e < n * n; ++e)
    for (int c = 0; c < s.edge_features; ++c)
      w.edges[e * s.edge_stride + s.hidden + c] = x_edges[e * s.edge_features + c];
  for (int layer = 0; layer < s.layers && !late(w); ++layer) attentive_layer(s, network.layers[layer], w);
  decrements(s, network.head, w, out);
}
