#include "plan.hpp"

#include <algorithm>

namespace neurocross {

Plan::Plan(const Instance& instance)
    : in_(&instance),
      next_(instance.nodes() + instance.vehicles()),
      previous_(next_.size()),
      route_(next_.size(), -1),
      to_next_(next_.size(), 0.0),
      size_(instance.vehicles(), 0),
      length_(instance.vehicles(), 0.0),
      load_(instance.vehicles(), 0.0),
      place_in_used_(instance.vehicles(), -1),
      touched_in_(instance.vehicles(), 0) {
  for (int r = 0; r < instance.vehicles(); ++r) {
    next_[depot(r)] = previous_[depot(r)] = depot(r);
    route_[depot(r)] = r;
  }
}

void Plan::touch(int r) {
  if (touched_in_[r] == step_) return;
  touched_in_[r] = step_;
  touched_.push_back({r, length_[r], load_[r]});
}

void Plan::put(int city, int after) {
  const int r = route_[after], before = next_[after];
  next_[after] = city, previous_[city] = after;
  next_[city] = before, previous_[before] = city;
  to_next_[after] = link(r, after, city);
  to_next_[city] = link(r, city, before);
  route_[city] = r;
  load_[r] += in_->demand(city);
  if (size_[r]++ == 0) {
    place_in_used_[r] = static_cast<int>(used_.size());
    used_.push_back(r);
  }
}

void Plan::take(int city) {
  const int r = route_[city], after = previous_[city], before = next_[city];
  next_[after] = before, previous_[before] = after;
  to_next_[after] = link(r, after, before);
  route_[city] = -1;
  load_[r] -= in_->demand(city);
  if (--size_[r] == 0) {
    const int last = used_.back();
    used_[place_in_used_[r]] = last;
    place_in_used_[last] = place_in_used_[r];
    used_.pop_back();
    load_[r] = 0.0;
  }
}

void Plan::insert(int city, int after) {
  const int r = route_[after];
  touch(r);
  length_[r] += insertion(city, after);
  put(city, after);
  journal_.push_back({city, after, true});
}

void Plan::remove(int city) {
  const int r = route_[city], after = previous_[city];
  touch(r);
  const double left = to_next_[after] + to_next_[city];
  take(city);
  length_[r] = size_[r] ? length_[r] - (left - to_next_[after]) : 0.0;
  journal_.push_back({city, after, false});
}

void Plan::mark() {
  journal_.clear();
  touched_.clear();
  ++step_;
}

void Plan::undo() {
  for (auto change = journal_.rbegin(); change != journal_.rend(); ++change) {
    if (change->inserted)
      take(change->city);
    else
      put(change->city, change->after);
  }
  for (const Touched& t : touched_) length_[t.route] = t.length, load_[t.route] = t.load;
  mark();
}

std::vector<int> Plan::tour(int r) const {
  std::vector<int> cities;
  cities.reserve(size_[r]);
  for (int node = next_[depot(r)]; !is_depot(node); node = next_[node]) cities.push_back(node);
  return cities;
}

Tours Plan::tours() const {
  Tours tours(in_->vehicles());
  for (int r : used_) tours[r] = tour(r);
  return tours;
}

void Plan::replace(int r, std::span<const int> cities) {
  while (size_[r]) take(next_[depot(r)]);
  int at = depot(r);
  for (int city : cities) put(city, at), at = city;
  length_[r] = in_->length(r, cities);
  load_[r] = in_->load(cities);
}

void Plan::assign(const Tours& tours) {
  for (int r = 0; r < in_->vehicles(); ++r)
    while (size_[r]) take(next_[depot(r)]);
  for (std::size_t r = 0; r < tours.size(); ++r) replace(static_cast<int>(r), tours[r]);
  for (std::size_t r = tours.size(); r < length_.size(); ++r) length_[r] = 0.0;
  mark();
}

void Plan::measure() {
  for (int r : used_) {
    double length = 0.0, load = 0.0;
    int node = depot(r);
    do {
      length += to_next_[node];
      node = next_[node];
      if (!is_depot(node)) load += in_->demand(node);
    } while (!is_depot(node));
    length_[r] = length, load_[r] = load;
  }
  mark();
}

}  // namespace neurocross
