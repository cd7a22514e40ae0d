// SPDX-License-Identifier: BSD-3-Clause
#include "base/counter.hpp"

#include <algorithm>

namespace bowline {
namespace {

// A function-local registry, because counters of other files may be constructed before this file's globals.
std::vector<Measure*>& measures() {
  static std::vector<Measure*> list;
  return list;
}

}  // namespace

Measure::Measure(Kind kind, Category category, std::string_view name, std::string_view help)
    : kind_(kind), category_(category), name_(name), help_(help) {
  auto& list = measures();
  const auto place = std::ranges::upper_bound(list, name, {}, &Measure::name);
  list.insert(place, this);
}

std::span<Measure* const> Measure::all() {
  return measures();
}

/// The caller holds the mutex.
std::uint64_t Level::sum(const Atomic<std::uint64_t> Part::*number) const noexcept {
  std::uint64_t all = 0;
  for (const Part* const part : parts_) all += (part->*number).load(std::memory_order_relaxed);
  return all;
}

std::uint64_t Level::value() const noexcept {
  const std::lock_guard hold(mutex_);
  return sum(&Part::value_);
}

std::uint64_t Level::highest() const noexcept {
  const std::lock_guard hold(mutex_);
  return std::max(past_peak_, sum(&Part::peak_));
}

void Level::enter(Part& part) {
  const std::lock_guard hold(mutex_);
  parts_.push_back(&part);
}

void Level::leave(Part& part) noexcept {
  const std::lock_guard hold(mutex_);
  past_peak_ = std::max(past_peak_, sum(&Part::peak_));
  std::erase(parts_, &part);
}

}  // namespace bowline
