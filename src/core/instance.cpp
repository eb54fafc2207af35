#include "instance.hpp"

#include <algorithm>

namespace neurocross {
namespace {

constexpr double kEarthRadius = 6371008.8;  // metres, mean radius

double rounded(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::nearest:
      return std::floor(value + 0.5);
    case Rounding::ceil:
      return std::ceil(value);
    default:
      return value;
  }
}

// TSPLIB's GEO: degrees and minutes as DDD.MM, its own pi.
double geo_radians(double value) {
  constexpr double pi = 3.141592;
  const double degrees = std::trunc(value);
  return pi * (degrees + 5.0 * (value - degrees) / 3.0) / 180.0;
}

}  // namespace

Instance::Instance(int nodes, int depots, Metric metric, Rounding rounding, std::vector<double> coords,
                   std::vector<double> matrix, std::vector<double> service, std::vector<double> demand,
                   std::vector<Vehicle> vehicles, std::vector<std::vector<int>> end_classes)
    : nodes_(nodes),
      depots_(depots),
      metric_(metric),
      rounding_(rounding),
      coords_(std::move(coords)),
      dense_(std::move(matrix)),
      service_(std::move(service)),
      demand_(std::move(demand)),
      vehicles_(std::move(vehicles)) {
  const auto n = static_cast<std::size_t>(nodes_);
  if (metric_ == Metric::haversine)
    for (double& c : coords_) c *= 3.14159265358979323846 / 180.0;
  if (metric_ == Metric::geo)
    for (double& c : coords_) c = geo_radians(c);
  has_demand_ = std::any_of(demand_.begin(), demand_.end(), [](double q) { return q != 0.0; });

  if (metric_ == Metric::matrix) {
    for (double& d : dense_) d = rounded(d, rounding_);
    for (std::size_t u = 0; u < n && symmetric_; ++u)
      for (std::size_t v = u + 1; v < n; ++v)
        if (dense_[u * n + v] != dense_[v * n + u]) {
          symmetric_ = false;
          break;
        }
  }

  two_way_ = symmetric_;
  straight_ = metric_ == Metric::euclidean && rounding_ == Rounding::none;

  // The ways back come before service is folded in: they carry none.
  back_.assign(end_classes.size() * n, 0.0);
  end_.assign(end_classes.size() * n, -1);
  for (std::size_t c = 0; c < end_classes.size(); ++c) {
    if (end_classes[c].empty()) continue;
    for (int u = 0; u < nodes_; ++u) {
      double best = kInfinity;
      int depot = -1;
      for (int e : end_classes[c]) {
        const double d = metric_ == Metric::matrix ? dense_[u * n + e] : distance(u, e);
        if (d < best) best = d, depot = e;
      }
      back_[c * n + u] = best;
      end_[c * n + u] = depot;
    }
  }

  if (metric_ != Metric::matrix && nodes_ <= kDenseLimit) {
    dense_.resize(n * n);
    for (int u = 0; u < nodes_; ++u)
      for (int v = 0; v < nodes_; ++v) dense_[u * n + v] = distance(u, v);
  }
  const bool has_service = std::any_of(service_.begin(), service_.end(), [](double s) { return s != 0.0; });
  if (has_service) {
    symmetric_ = false;
    for (std::size_t i = 0; i < dense_.size(); ++i) dense_[i] += service_[i % n];
  }
}

std::vector<std::array<double, 3>> Instance::points() const {
  std::vector<std::array<double, 3>> points(coords_.size() / 2);
  for (std::size_t u = 0; u < points.size(); ++u) {
    const double a = coords_[2 * u], b = coords_[2 * u + 1];
    if (metric_ == Metric::haversine || metric_ == Metric::geo)
      points[u] = {std::cos(a) * std::cos(b), std::cos(a) * std::sin(b), std::sin(a)};
    else
      points[u] = {a, b, 0.0};
  }
  return points;
}

double Instance::distance(int u, int v) const {
  const double* a = coords_.data() + 2 * static_cast<std::size_t>(u);
  const double* b = coords_.data() + 2 * static_cast<std::size_t>(v);
  switch (metric_) {
    case Metric::matrix:
      return dense_[static_cast<std::size_t>(u) * nodes_ + v] - service_[v];
    case Metric::euclidean:
      return rounded(straight(u, v), rounding_);
    case Metric::manhattan:
      return rounded(std::fabs(a[0] - b[0]) + std::fabs(a[1] - b[1]), rounding_);
    case Metric::haversine: {
      const double sy = std::sin((b[0] - a[0]) / 2), sx = std::sin((b[1] - a[1]) / 2);
      const double h = sy * sy + std::cos(a[0]) * std::cos(b[0]) * sx * sx;
      return rounded(2 * kEarthRadius * std::asin(std::min(1.0, std::sqrt(h))), rounding_);
    }
    case Metric::att: {
      const double dx = a[0] - b[0], dy = a[1] - b[1];
      const double r = std::sqrt((dx * dx + dy * dy) / 10.0), t = std::floor(r + 0.5);
      return t < r ? t + 1 : t;
    }
    case Metric::geo: {
      if (u == v) return 0.0;
      const double q1 = std::cos(a[1] - b[1]), q2 = std::cos(a[0] - b[0]), q3 = std::cos(a[0] + b[0]);
      const double c = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
      return std::floor(6378.388 * std::acos(std::clamp(c, -1.0, 1.0)) + 1.0);
    }
  }
  return 0.0;
}

double Instance::length(int vehicle, std::span<const int> cities) const {
  if (cities.empty()) return 0.0;
  double sum = 0.0;
  int at = vehicles_[vehicle].start;
  for (int city : cities) sum += arc(at, city), at = city;
  return sum + back(vehicle, at);
}

double Instance::load(std::span<const int> cities) const {
  double sum = 0.0;
  for (int city : cities) sum += demand_[city];
  return sum;
}

}  // namespace neurocross
