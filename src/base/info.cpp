// SPDX-License-Identifier: BSD-3-Clause
#include "base/info.hpp"

#include <algorithm>

namespace bowline {

const std::string* Info::find(std::string_view key) const noexcept {
  for (const auto& [name, value] : entries_) {
    if (name == key) return &value;
  }
  return nullptr;
}

void Info::set(std::string_view key, std::string_view value) {
  for (auto& [name, old] : entries_) {
    if (name != key) continue;
    old = value;
    return;
  }
  entries_.emplace_back(key, value);
}

bool Info::remove(std::string_view key) {
  return std::erase_if(entries_, [&](const auto& entry) { return entry.first == key; }) > 0;
}

}  // namespace bowline
