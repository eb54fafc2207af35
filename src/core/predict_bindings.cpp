// The prediction model at the border between Python and the core.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "predict.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace neurocross;

namespace {

using Cities = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;

std::span<const int> view(const Cities& cities) { return {cities.data(), cities.shape(0)}; }

}  // namespace

void bind_predict(nb::module_& m) {
  m.def(
      "pair_arcs",
      [](const Instance& in, int v1, Cities t1, int v2, Cities t2) {
        const Tour tour1{v1, view(t1)}, tour2{v2, view(t2)};
        const std::size_t n = graph_nodes(tour1, tour2);
        auto* arcs = new double[n * n];
        nb::capsule owner(arcs, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        {
          nb::gil_scoped_release release;
          pair_arcs(in, tour1, tour2, arcs);
        }
        return nb::ndarray<nb::numpy, double, nb::ndim<2>>(arcs, {n, n}, owner);
      },
      "instance"_a, "v1"_a, "t1"_a, "v2"_a, "t2"_a,
      "Arcs between start, cities, end of tour 1 and start, cities, end of tour 2.");

  nb::class_<Network>(m, "Network", "The cost-decrement prediction model, without torch.")
      .def(
          "__init__",
          [](Network* self, int layers, int hidden, int edge_depth, int node_depth, int head_depth, int heads,
             int triangles, int quadrants, bool residual, bool skip, bool cuts, int outputs,
             int node_features, int edge_features, const std::map<std::string, Floats>& tensors) {
            std::map<std::string, Tensor> views;
            for (const auto& [name, t] : tensors)
              views[name] = {t.data(), t.ndim() > 0 ? t.shape(0) : 1, t.ndim() > 1 ? t.shape(1) : 1};
            new (self) Network({layers, hidden, edge_depth, node_depth, head_depth, heads, triangles,
                                quadrants, residual, skip, cuts, outputs, node_features, edge_features},
                               views);
          },
          nb::kw_only(), "layers"_a, "hidden"_a, "edge_depth"_a, "node_depth"_a, "head_depth"_a, "heads"_a,
          "triangles"_a, "quadrants"_a, "residual"_a, "skip"_a, "cuts"_a, "outputs"_a, "node_features"_a,
          "edge_features"_a, "tensors"_a)
      .def(
          "predict",
          [](const Network& self, const std::vector<std::tuple<int, int, Floats, Floats>>& graphs,
             double seconds) {
            std::vector<nb::ndarray<nb::numpy, float, nb::ndim<3>>> answers;
            const std::size_t outputs = self.form().outputs;
            for (const auto& [n1, n2, nodes, edges] : graphs) {
              const std::size_t n = static_cast<std::size_t>(n1) + n2 + 4, fn = self.form().node_features,
                                fe = self.form().edge_features;
              if (n1 < 0 || n2 < 0 || nodes.size() != n * fn || edges.size() != n * n * fe)
                throw std::invalid_argument("the features do not fit the network or the tours");
              auto* out = new float[(n1 + 1) * static_cast<std::size_t>(n2 + 1) * outputs];
              nb::capsule owner(out, [](void* p) noexcept { delete[] static_cast<float*>(p); });
              answers.emplace_back(out, std::initializer_list<std::size_t>{n1 + 1u, n2 + 1u, outputs}, owner);
            }
            const Deadline deadline(seconds);
            bool done = true;
            {
              nb::gil_scoped_release release;
              for (std::size_t k = 0; k < graphs.size() && done; ++k) {
                const auto& [n1, n2, nodes, edges] = graphs[k];
                done = self.predict(n1, n2, nodes.data(), edges.data(), answers[k].data(), deadline);
              }
            }
            if (!done) answers.clear();
            return answers;
          },
          "graphs"_a, "seconds"_a = kInfinity,
          "For each (n1, n2, node features, edge features): (n1+1, n2+1, objectives) of y*(a1, a2). "
          "Nothing at all if it took more than `seconds`.");
}
