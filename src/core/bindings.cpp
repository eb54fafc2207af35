// The border between Python and the core: arrays in, arrays out, the GIL released in between.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>

#include "bounds.hpp"
#include "cross.hpp"
#include "instance.hpp"
#include "intra.hpp"

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
                  static_cast<Rounding>(rounding), coords ? copy(*coords) : std::vector<double>{},
                  matrix ? copy(*matrix) : std::vector<double>{}, copy(service), copy(demand),
                  std::move(vehicles), std::move(ends));
}

using Found = nb::ndarray<nb::numpy, int, nb::ndim<1>>;

// Hands a vector over to numpy without copying.
Found to_numpy(std::vector<int> cities) {
  auto* kept = new std::vector<int>(std::move(cities));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<int>*>(p); });
  return Found(kept->data(), {kept->size()}, owner);
}

std::vector<int> to_vector(const Cities& cities) { return {cities.data(), cities.data() + cities.shape(0)}; }

template <class Improve>
Found improved(const Instance& instance, int vehicle, const Cities& tour, double tolerance, double seconds,
               Improve improve) {
  std::vector<int> cities = to_vector(tour);
  {
    nb::gil_scoped_release release;
    improve(instance, vehicle, cities, tolerance, Deadline(seconds));
  }
  return to_numpy(std::move(cities));
}

void bind_cross(nb::module_& m) {
  nb::class_<Exchange>(m, "Exchange", "Swap cities a1:b1 of tour 1 with cities a2:b2 of tour 2.")
      .def_ro("a1", &Exchange::a1)
      .def_ro("b1", &Exchange::b1)
      .def_ro("a2", &Exchange::a2)
      .def_ro("b2", &Exchange::b2)
      .def_ro("value", &Exchange::value, "The longer of the new tours (minmax) or their sum (minsum).")
      .def_prop_ro("moves", &Exchange::moves, "False if nothing is exchanged.");
  m.def(
      "cross_cost",
      [](const Instance& in, int v1, Cities t1, int v2, Cities t2, int a1, int b1, int a2, int b2) {
        return cross_cost(in, {v1, view(t1)}, {v2, view(t2)}, a1, b1, a2, b2);
      },
      "instance"_a, "v1"_a, "t1"_a, "v2"_a, "t2"_a, "a1"_a, "b1"_a, "a2"_a, "b2"_a,
      "Lengths of both tours after an exchange.");
  m.def(
      "cross_brute",
      [](const Instance& in, int objective, int v1, Cities t1, int v2, Cities t2, double seconds) {
        nb::gil_scoped_release release;
        return cross_brute(in, static_cast<Objective>(objective), {v1, view(t1)}, {v2, view(t2)},
                           Deadline(seconds));
      },
      "instance"_a, "objective"_a, "v1"_a, "t1"_a, "v2"_a, "t2"_a, "seconds"_a = kInfinity,
      "The best exchange by trying every one.");
  m.def(
      "cross_exact",
      [](const Instance& in, int objective, int v1, Cities t1, int v2, Cities t2, double seconds) {
        nb::gil_scoped_release release;
        return cross_exact(in, static_cast<Objective>(objective), {v1, view(t1)}, {v2, view(t2)},
                           Deadline(seconds));
      },
      "instance"_a, "objective"_a, "v1"_a, "t1"_a, "v2"_a, "t2"_a, "seconds"_a = kInfinity,
      "The best exchange by the separable search.");
  m.def(
      "cross_from",
      [](const Instance& in, int objective, int v1, Cities t1, int v2, Cities t2,
         const std::vector<std::pair<int, int>>& starts) {
        nb::gil_scoped_release release;
        return cross_from(in, static_cast<Objective>(objective), {v1, view(t1)}, {v2, view(t2)}, starts);
      },
      "instance"_a, "objective"_a, "v1"_a, "t1"_a, "v2"_a, "t2"_a, "starts"_a,
      "The best exchange that starts at one of the given (a1, a2).");
  m.def(
      "cross_labels",
      [](const Instance& in, int objective, int v1, Cities t1, int v2, Cities t2) {
        const std::size_t rows = t1.shape(0) + 1, columns = t2.shape(0) + 1;
        auto* labels = new double[rows * columns];
        nb::capsule owner(labels, [](void* p) noexcept { delete[] static_cast<double*>(p); });
        {
          nb::gil_scoped_release release;
          cross_labels(in, static_cast<Objective>(objective), {v1, view(t1)}, {v2, view(t2)}, labels);
        }
        return nb::ndarray<nb::numpy, double, nb::ndim<2>>(labels, {rows, columns}, owner);
      },
      "instance"_a, "objective"_a, "v1"_a, "t1"_a, "v2"_a, "t2"_a,
      "(n1+1, n2+1): what the best exchange that starts at (a1, a2) gains.");
  m.def(
      "simd", [] { return simd() == Simd::avx2 ? "avx2" : "portable"; },
      "Instruction set of the exchange kernels: avx2 or portable.");
  m.def(
      "use_avx2", [](bool wanted) { return use_simd(wanted ? Simd::avx2 : Simd::portable); }, "wanted"_a,
      "Choose the instruction set; False if this machine has it not.");
}

void bind_intra(nb::module_& m) {
  m.def(
      "two_opt",
      [](const Instance& in, int vehicle, Cities tour, double tolerance, double seconds) {
        return improved(in, vehicle, tour, tolerance, seconds, two_opt);
      },
      "instance"_a, "vehicle"_a, "tour"_a, "tolerance"_a, "seconds"_a = kInfinity, "The route after 2-opt.");
  m.def(
      "or_opt",
      [](const Instance& in, int vehicle, Cities tour, double tolerance, double seconds) {
        return improved(in, vehicle, tour, tolerance, seconds, or_opt);
      },
      "instance"_a, "vehicle"_a, "tour"_a, "tolerance"_a, "seconds"_a = kInfinity, "The route after or-opt.");
  m.def(
      "two_opt_and_or_opt",
      [](const Instance& in, int vehicle, Cities tour, double tolerance, double seconds) {
        return improved(in, vehicle, tour, tolerance, seconds, two_opt_and_or_opt);
      },
      "instance"_a, "vehicle"_a, "tour"_a, "tolerance"_a, "seconds"_a = kInfinity,
      "The route after 2-opt and or-opt in turn.");
  m.def(
      "nearest_neighbour",
      [](const Instance& in, int vehicle, Cities cities) {
        return to_numpy(nearest_neighbour(in, vehicle, to_vector(cities)));
      },
      "instance"_a, "vehicle"_a, "cities"_a, "The cities, always the nearest one next.");
}

void bind_bounds(nb::module_& m) {
  m.def("round_trips", &round_trips, "instance"_a, "detour_gain"_a, "arc_budget"_a,
        nb::call_guard<nb::gil_scoped_release>(),
        "By city, the shortest round trip, where paths undercut direct arcs by at most detour_gain.");
  m.def(
      "total_length_bound",
      [](const Instance& in, int objective, int neighbours, Doubles places, double target, double seconds) {
        TotalLengthBound bound;
        {
          nb::gil_scoped_release release;
          bound = total_length_bound(in, static_cast<Objective>(objective), neighbours,
                                     {places.data(), places.size()}, target, seconds);
        }
        return std::pair(bound.value, bound.multipliers);
      },
      "instance"_a, "objective"_a, "neighbours"_a, "places"_a, "target"_a, "seconds"_a,
      "Bound of the objective by spanning trees, and the cities' multipliers that prove it.");
}

}  // namespace

void bind_engine(nb::module_& m);   // engine_bindings.cpp
void bind_predict(nb::module_& m);  // predict_bindings.cpp
void bind_steps(nb::module_& m);    // steps_bindings.cpp

NB_MODULE(_core, m) {
  // Instances that live in module-level variables are freed after the interpreter has looked.
  nb::set_leak_warnings(false);
  m.doc() = "Hot loops of neurocross on flat arrays. Private: the package validates what it passes.";

  nb::class_<Instance>(m, "Instance", "A problem as the kernels see it.")
      .def(
          "__init__",
          [](Instance* self, int depots, int metric, int rounding, std::optional<Table> coords,
             std::optional<Table> matrix, Doubles service, Doubles demand, const std::vector<int>& starts,
             const std::vector<int>& end_classes, std::vector<std::vector<int>> ends,
             const std::vector<double>& capacity, const std::vector<double>& max_length) {
            new (self) Instance(make_instance(depots, metric, rounding, coords, matrix, service, demand,
                                              starts, end_classes, std::move(ends), capacity, max_length));
          },
          "depots"_a, "metric"_a, "rounding"_a, "coords"_a.none(), "matrix"_a.none(), "service"_a, "demand"_a,
          "starts"_a, "end_classes"_a, "ends"_a, "capacity"_a, "max_length"_a)
      .def("arc", &Instance::arc, "u"_a, "v"_a, "Distance from u to v and service at v.")
      .def("back", &Instance::back, "vehicle"_a, "node"_a, "Cheapest way from a node to an end.")
      .def("end_depot", &Instance::end_depot, "vehicle"_a, "node"_a,
           "The depot that way leads to, -1 if the route is open.")
      .def(
          "length",
          [](const Instance& self, int vehicle, Cities tour) { return self.length(vehicle, view(tour)); },
          "vehicle"_a, "tour"_a, "Length of a route; 0 if it is empty.")
      .def(
          "keeps_limits",
          [](const Instance& self, int vehicle, Cities tour) {
            return self.keeps_limits(vehicle, view(tour));
          },
          "vehicle"_a, "tour"_a, "Whether a route keeps its capacity and maximum length.")
      .def(
          "load", [](const Instance& self, Cities tour) { return self.load(view(tour)); }, "tour"_a,
          "Demand of the cities of a route.");

  bind_cross(m);
  bind_intra(m);
  bind_bounds(m);
  bind_engine(m);
  bind_predict(m);
  bind_steps(m);
}
