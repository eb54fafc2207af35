// The engine's steps one at a time, so that tests can hold what they say against what they did.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>
#include <vector>

#include "neighbours.hpp"
#include "plan.hpp"
#include "random.hpp"
#include "random_exchange.hpp"
#include "route_cost.hpp"
#include "ruin_recreate.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace neurocross;

namespace {

class Steps {
 public:
  Steps(const Instance& instance, std::uint64_t seed, int neighbours, const RouteCost& cost)
      : cost_(cost),
        random_(seed),
        plan_(instance),
        neighbours_(instance, neighbours),
        ruin_recreate_(instance, neighbours_),
        random_exchange_(neighbours_) {
    std::vector<int> cities(instance.nodes() - instance.depots());
    std::iota(cities.begin(), cities.end(), instance.depots());
    ruin_recreate_.insert(plan_, cost_, cities);
    plan_.mark();
  }

  // Both give what the plan's cost is said to grow by.
  std::optional<double> exchange(int city) {
    plan_.mark();
    if (!random_exchange_.propose(plan_, city, random_)) return {};
    const double change = random_exchange_.change(plan_, cost_);
    random_exchange_.apply(plan_);
    return change;
  }
  double ruin_recreate(int city) {
    plan_.mark();
    ruin_recreate_.ruin(plan_, city, random_);
    ruin_recreate_.recreate(plan_, cost_, random_);
    double change = 0.0;
    for (const auto& t : plan_.touched())
      change += cost_.of(plan_, t.route) - cost_.of(plan_.instance().vehicle(t.route), t.length, t.load);
    return change;
  }
  void undo() { plan_.undo(); }

  Tours tours() const { return plan_.tours(); }
  std::vector<double> lengths() const {
    return each([&](int r) { return plan_.length(r); });
  }
  std::vector<double> loads() const {
    return each([&](int r) { return plan_.load(r); });
  }

 private:
  template <typename Get>
  std::vector<double> each(Get get) const {
    std::vector<double> values;
    for (int r = 0; r < plan_.instance().vehicles(); ++r) values.push_back(get(r));
    return values;
  }

  const RouteCost cost_;
  Random random_;
  Plan plan_;
  Neighbours neighbours_;
  RuinRecreate ruin_recreate_;
  RandomExchange random_exchange_;
};

}  // namespace

void bind_steps(nb::module_& m) {
  nb::class_<Steps>(m, "Steps", "The engine's steps one at a time, with the plan as it keeps it.")
      .def(
          "__init__",
          [](Steps* self, const Instance& instance, int objective, std::uint64_t seed, int neighbours,
             double reference, double scale, double load_penalty, double length_penalty) {
            new (self)
                Steps(instance, seed, neighbours,
                      {static_cast<Objective>(objective), reference, scale, load_penalty, length_penalty});
          },
          nb::keep_alive<1, 2>(), "instance"_a, nb::kw_only(), "objective"_a, "seed"_a, "neighbours"_a,
          "reference"_a, "scale"_a, "load_penalty"_a, "length_penalty"_a)
      .def("exchange", &Steps::exchange, "city"_a,
           "What the cost is said to grow by; None if none was drawn.")
      .def("ruin_recreate", &Steps::ruin_recreate, "city"_a, "What the cost is said to grow by.")
      .def("undo", &Steps::undo, "Takes the last step back.")
      .def("tours", &Steps::tours)
      .def("lengths", &Steps::lengths, "Of the routes, as kept from step to step.")
      .def("loads", &Steps::loads, "Likewise.");
}
