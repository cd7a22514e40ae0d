// SPDX-License-Identifier: BSD-3-Clause
// Variables that launchers put into the environment of their processes.
#pragma once

#include <charconv>
#include <cstdlib>
#include <string_view>

namespace bowline::wireup {

/// The value of a variable; empty if it is not set.
inline std::string_view variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// The value of a variable as a number; 0 if it is not set, or is no number.
inline int number(const char* name) {
  const std::string_view text = variable(name);
  int value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size() ? value : 0;
}

}  // namespace bowline::wireup
