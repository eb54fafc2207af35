// CROSS exchange of two tours: its cost, the full search, the exact separable search, the labels.
//
// A tour is a start depot, cities 1 .. n, and a way back. An exchange (a1, b1, a2, b2) swaps cities
// a1+1 .. b1 of tour 1 with cities a2+1 .. b2 of tour 2, 0 <= a <= b <= n; in Python's slices of the
// lists of cities: t1[:a1] + t2[a2:b2] + t1[b1:] and t2[:a2] + t1[a1:b1] + t2[b2:]. `a` is the last
// node kept before the cut (0: the start depot). A segment may be empty, a tour may become so.
//
// The value of an exchange is the longer of the two new tours (minmax) or their sum (minsum). Every
// search counts "no exchange" as a candidate, so its value is never above the present one. A tour
// that is over one of its limits may stay so, but not get worse.
#pragma once

#include <span>
#include <utility>

#include "instance.hpp"

namespace neurocross {

struct Tour {
  int vehicle;
  std::span<const int> cities;
};

struct Exchange {
  int a1 = 0, b1 = 0, a2 = 0, b2 = 0;
  double value = 0.0;

  bool moves() const { return a1 != b1 || a2 != b2; }
};

// Lengths of the two tours after an exchange, whatever the limits say.
std::pair<double, double> cross_cost(const Instance& instance, Tour t1, Tour t2, int a1, int b1, int a2,
                                     int b2);

// The best exchange by trying every one: O(n^4).
Exchange cross_brute(const Instance& instance, Objective objective, Tour t1, Tour t2,
                     const Deadline& deadline = {});

// The best exchange by the separable search: the same value in between n^2 and n^3. Tours of more
// than 1,400 cities are searched window by window: exact within each pair of windows.
// `below`: only an exchange of a smaller value is of interest; nothing else is looked for.
Exchange cross_exact(const Instance& instance, Objective objective, Tour t1, Tour t2,
                     const Deadline& deadline = {}, double below = kInfinity);

// The best exchange among those that start at one of the given (a1, a2).
Exchange cross_from(const Instance& instance, Objective objective, Tour t1, Tour t2,
                    std::span<const std::pair<int, int>> starts);

// y*(a1, a2) for all (n1+1)(n2+1) start pairs, row-major: the present value minus the best value of
// an exchange that starts there. Never negative.
void cross_labels(const Instance& instance, Objective objective, Tour t1, Tour t2, double* labels);

// The cities of both tours after an exchange.
void apply(const Exchange& exchange, std::vector<int>& t1, std::vector<int>& t2);

// The instruction sets of the inner loops; they give bit-equal results.
enum class Simd { portable, avx2 };
Simd simd();
bool use_simd(Simd wanted);  // false if this machine has it not

}  // namespace neurocross
