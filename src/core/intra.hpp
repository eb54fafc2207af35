// Improvement inside one route: 2-opt and or-opt, right for asymmetric arcs and every end rule.
#pragma once

#include <vector>

#include "instance.hpp"

namespace neurocross {

// Reverses segments until no reversal shortens the route by more than `tolerance`.
// Returns the length saved.
double two_opt(const Instance& instance, int vehicle, std::vector<int>& cities, double tolerance,
               const Deadline& deadline = {});

// Moves segments of one to three cities elsewhere in the route, either way round, until no such
// move shortens it by more than `tolerance`. Returns the length saved.
double or_opt(const Instance& instance, int vehicle, std::vector<int>& cities, double tolerance,
              const Deadline& deadline = {});

// Both in turn until neither helps.
double two_opt_and_or_opt(const Instance& instance, int vehicle, std::vector<int>& cities, double tolerance,
                          const Deadline& deadline = {});

// The cities in the order of the greedy assignment: always the nearest one next.
std::vector<int> nearest_neighbour(const Instance& instance, int vehicle, std::vector<int> cities);

}  // namespace neurocross
