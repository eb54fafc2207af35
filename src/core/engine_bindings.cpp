// The engine at the border between Python and the core.
#include <nanobind/nanobind.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <functional>
#include <optional>

#include "engine.hpp"
#include "neighbours.hpp"
#include "random.hpp"
#include "tsp.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace neurocross;

namespace {

using News = std::function<void(const Tours&, double, std::int64_t, double)>;
using Finder = std::function<Exchange(int, const std::vector<int>&, int, const std::vector<int>&)>;

// Runs with the GIL released; takes it for `on_best`, for `exchange` and to let Python see signals:
// Ctrl-C ends the search, which then answers with its best.
Outcome run_search(const Instance& instance, int objective, std::uint64_t seed, double tolerance,
                   const std::optional<Tours>& start, const Limits& limits,
                   const std::optional<News>& on_best, int threads, const std::optional<Finder>& exchange) {
  Hooks hooks;
  std::atomic<bool> interrupted = false;
  hooks.report = [&](const Tours* new_best, const TracePoint& point) {
    if (interrupted) return true;
    nb::gil_scoped_acquire acquire;
    try {
      if (new_best && on_best) (*on_best)(*new_best, point.seconds, point.iteration, point.value);
    } catch (nb::python_error& error) {  // Ctrl-C may also come while Python is being told
      if (!error.matches(PyExc_KeyboardInterrupt)) throw;
      return true;
    }
    if (PyErr_CheckSignals() == 0) return false;
    PyErr_Clear();
    return true;
  };
  if (exchange)
    hooks.exchange = [&](Tour t1, Tour t2) {
      nb::gil_scoped_acquire acquire;
      const std::vector<int> cities1(t1.cities.begin(), t1.cities.end());
      const std::vector<int> cities2(t2.cities.begin(), t2.cities.end());
      try {
        return (*exchange)(t1.vehicle, cities1, t2.vehicle, cities2);
      } catch (nb::python_error& error) {  // Ctrl-C may also come while Python is at work
        if (!error.matches(PyExc_KeyboardInterrupt)) throw;
        interrupted = true;
        return Exchange{};
      }
    };
  nb::gil_scoped_release release;
  return search(instance, static_cast<Objective>(objective), seed, tolerance, start ? &*start : nullptr,
                limits, hooks, threads);
}

}  // namespace

void bind_engine(nb::module_& m) {
  nb::class_<Outcome>(m, "Outcome", "What a search ended with.")
      .def_ro("tours", &Outcome::tours)
      .def_ro("iterations", &Outcome::iterations)
      .def_prop_ro(
          "trace",
          [](const Outcome& o) {
            std::vector<std::tuple<double, std::int64_t, double>> points;
            for (const auto& p : o.trace) points.emplace_back(p.seconds, p.iteration, p.value);
            return points;
          },
          "(seconds, iteration, value) of each new best.")
      .def_prop_ro("stop", [](const Outcome& o) { return static_cast<int>(o.stop); });
  nb::class_<Limits>(m, "Limits", "When a search ends: whichever comes first.")
      .def(nb::init<>())
      .def_rw("seconds", &Limits::seconds)
      .def_rw("iterations", &Limits::iterations)
      .def_rw("no_improvement", &Limits::no_improvement)
      .def_rw("target", &Limits::target)
      .def_rw("bound", &Limits::bound);
  m.def("search", run_search, "instance"_a, "objective"_a, "seed"_a, "tolerance"_a, "start"_a.none(),
        "limits"_a, "on_best"_a.none(), "threads"_a, "exchange"_a.none(),
        "The engine: from a start to the best plan within the limits.");
  m.def(
      "tour_search",
      [](const Instance& in, int vehicle, std::vector<int> tour, double tolerance, long kicks,
         std::uint64_t seed) {
        const Neighbours neighbours(in, 40);
        Random random(seed);
        TourSearch search(in, neighbours, tolerance);
        const double saved = search.iterate(vehicle, tour, kicks, random);
        return std::pair(tour, saved);
      },
      "instance"_a, "vehicle"_a, "tour"_a, "tolerance"_a, "kicks"_a, "seed"_a,
      "The route after the tour search, and the length saved.");
}
