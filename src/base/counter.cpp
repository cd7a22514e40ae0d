// SPDX-License-Identifier: BSD-3-Clause
#include "base/counter.hpp"

#include <algorithm>
#include <vector>

namespace bowline {
namespace {

// A function-local registry, because counters of other files may be constructed before this file's globals.
std::vector<Counter*>& counted() {
  static std::vector<Counter*> list;
  return list;
}

}  // namespace

Counter::Counter(std::string_view name, std::string_view help) : name_(name), help_(help) {
  auto& list = counted();
  const auto place = std::ranges::upper_bound(list, name, {}, &Counter::name);
  list.insert(place, this);
}

std::span<Counter* const> Counter::all() {
  return counted();
}

}  // namespace bowline
