// The border between Python and the core: arrays in, arrays out, the GIL released in between.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "instance.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace neurocross;

namespace {

using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cities = nb::ndarray<const int, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const int> view(const Cities& cities) { return {cities.data(), cities.shape(0)}; }

template <class Array>
std::vector<double> copy(const Array& a) {
  return {a.data(), a.data() + a.size()};
}

Instance make_instance(int depots, int metric, int rounding, std::optional<Table> coords,
                       std::optional<Table> matrix, Doubles service, Doubles demand,
                       const std::vector<int>& starts, const std::vector<int>& end_classes,
                       std::vector<std::vector<int>> ends, const std::vector<double>& capacity,
                       const std::vector<double>& max_length) {
  std::vector<Vehicle> vehicles;
  for (std::size_t k = 0; k < starts.size(); ++k)
    vehicles.push_back({starts[k], end_classes[k], capacity[k], max_length[k]});
  return Instance(static_cast<int>(service.shape(0)), depots, static_cast<Metric>(metric),
                  static_cast<Rounding>(rounding),
                  coords ? copy(*coords) : std::vector<double>{},
                  matrix ? copy(*matrix) : std::vector<double>{}, copy(service), copy(demand),
                  std::move(vehicles), std::move(ends));
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Hot loops of neurocross on flat arrays. Private: the package validates what it passes.";

  nb::class_<Instance>(m, "Instance", "A problem as the kernels see it.")
      .def("__init__",
           [](Instance* self, int depots, int metric, int rounding, std::optional<Table> coords,
              std::optional<Table> matrix, Doubles service, Doubles demand,
              const std::vector<int>& starts, const std::vector<int>& end_classes,
              std::vector<std::vector<int>> ends, const std::vector<double>& capacity,
              const std::vector<double>& max_length) {
             new (self) Instance(make_instance(depots, metric, rounding, coords, matrix, service,
                                               demand, starts, end_classes, std::move(ends),
                                               capacity, max_length));
           },
           "depots"_a, "metric"_a, "rounding"_a, "coords"_a.none(), "matrix"_a.none(), "service"_a,
           "demand"_a, "starts"_a, "end_classes"_a, "ends"_a, "capacity"_a, "max_length"_a)
      .def("arc", &Instance::arc, "u"_a, "v"_a, "Distance from u to v and service at v.")
      .def("back", &Instance::back, "vehicle"_a, "node"_a, "Cheapest way from a node to an end.")
      .def("end_depot", &Instance::end_depot, "vehicle"_a, "node"_a,
           "The depot that way leads to, -1 if the route is open.")
      .def("length",
           [](const Instance& self, int vehicle, Cities tour) { return self.length(vehicle, view(tour)); },
           "vehicle"_a, "tour"_a, "Length of a route; 0 if it is empty.")
      .def("load", [](const Instance& self, Cities tour) { return self.load(view(tour)); }, "tour"_a,
           "Demand of the cities of a route.");
}
