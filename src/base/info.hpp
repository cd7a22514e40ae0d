// SPDX-License-Identifier: BSD-3-Clause
// Info: an ordered list of keys and values, in which the user gives hints (MPI-5.0, chapter 10).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bowline {

/// Keys are in the order in which they were first set. Not thread-safe.
class Info {
 public:
  std::size_t size() const noexcept { return entries_.size(); }
  /// The n-th key, counted from 0.
  const std::string& key(std::size_t n) const { return entries_.at(n).first; }
  /// The value of the key; nullptr if there is no such key.
  const std::string* find(std::string_view key) const noexcept;
  /// Replaces the value of an existing key.
  void set(std::string_view key, std::string_view value);
  /// Removes the key. False if there is no such key.
  bool remove(std::string_view key);

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

}  // namespace bowline
