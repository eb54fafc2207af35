#include "plan.hpp"

#include <algorithm>

namespace neurocross {

Plan::Plan(const Instance& instance)
    : in_(&instance),
      at_(instance.nodes() + instance.vehicles()),
      size_(instance.vehicles(), 0),
      length_(instance.vehicles(), 0.0),
      load_(instance.vehicles(), 0.0),
      place_in_used_(instance.vehicles(), -1),
      touched_in_(instance.vehicles(), 0) {
  for (int r = 0; r < instance.vehicles(); ++r) {
    at_[depot(r)].next = at_[depot(r)].previous = depot(r);
    at_[depot(r)].route = r;
  }
}

void Plan::touch(int r) {
  if (touched_in_[r] == step_) return;
  touched_in_[r] = step_;
  touched_.push_back({r, length_[r], load_[r]});
}

void Plan::put(int city, int after) {
  const int r = at_[after].route, before = at_[after].next;
  at_[city] = {link(r, city, before), 0.0, before, after, r};
  at_[after].next = city, at_[after].to_next = link(r, after, city);
  at_[before].previous = city;
  for (int node : {after, city, before}) measure_reach(node);
  load_[r] += in_->demand(city);
  if (size_[r]++ == 0) {
    place_in_used_[r] = static_cast<int>(used_.size());
    used_.push_back(r);
  }
}

void Plan::take(int city) {
  const auto [to_next, reach, before, after, r] = at_[city];
  at_[after].next = before, at_[after].to_next = link(r, after, before);
  at_[before].previous = after;
  for (int node : {after, before}) measure_reach(node);
  at_[city].route = -1;
  load_[r] -= in_->demand(city);
  if (--size_[r] == 0) {
    const int last = used_.back();
    used_[place_in_used_[r]] = last;
    place_in_used_[last] = place_in_used_[r];
    used_.pop_back();
    load_[r] = 0.0;
  }
}

void Plan::measure_reach(int node) {
  Node& n = at_[node];
  n.reach =
      is_depot(n.next) || is_depot(n.previous) ? kInfinity : std::max(n.to_next, at_[n.previous].to_next);
}

void Plan::insert(int city, int after) {
  const int r = at_[after].route;
  touch(r);
  length_[r] += insertion(city, after);
  put(city, after);
  journal_.push_back({city, after, true});
}

void Plan::remove(int city) {
  const auto [to_next, reach, before, after, r] = at_[city];
  touch(r);
  const double left = at_[after].to_next + to_next;
  take(city);
  length_[r] = size_[r] ? length_[r] - (left - at_[after].to_next) : 0.0;
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
  for (int node = at_[depot(r)].next; !is_depot(node); node = at_[node].next) cities.push_back(node);
  return cities;
}

Tours Plan::tours() const {
  Tours tours(in_->vehicles());
  for (int r : used_) tours[r] = tour(r);
  return tours;
}

void Plan::replace(int r, std::span<const int> cities) {
  while (size_[r]) take(at_[depot(r)].next);
  int at = depot(r);
  for (int city : cities) put(city, at), at = city;
  length_[r] = in_->length(r, cities);
  load_[r] = in_->load(cities);
}

void Plan::assign(const Tours& tours) {
  for (int r = 0; r < in_->vehicles(); ++r)
    while (size_[r]) take(at_[depot(r)].next);
  for (std::size_t r = 0; r < tours.size(); ++r) replace(static_cast<int>(r), tours[r]);
  for (std::size_t r = tours.size(); r < length_.size(); ++r) length_[r] = 0.0;
  mark();
}

void Plan::measure() {
  for (int r : used_) {
    double length = 0.0, load = 0.0;
    int node = depot(r);
    do {
      length += at_[node].to_next;
      node = at_[node].next;
      if (!is_depot(node)) load += in_->demand(node);
    } while (!is_depot(node));
    length_[r] = length, load_[r] = load;
  }
  mark();
}

}  // namespace neurocross
