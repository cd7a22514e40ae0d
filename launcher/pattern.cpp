// SPDX-License-Identifier: BSD-3-Clause
// See pattern.hpp.
#include "launcher/pattern.hpp"

#include <fmt/format.h>

#include <optional>

namespace bowline::launcher {
namespace {

/// Replaces each %c for which `value` has a text.
template <class Value>
std::string replace(std::string_view pattern, const Value& value) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char next = pattern[i] == '%' && i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    const std::optional<std::string> found = next == '\0' ? std::nullopt : value(next);
    if (found)
      text += *found, ++i;
    else
      text += pattern[i];
  }
  return text;
}

}  // namespace

std::string expand(std::string_view pattern, const PatternValues& values) {
  return replace(pattern, [&](char name) -> std::optional<std::string> {
    switch (name) {
      case 'r':
        return std::to_string(values.rank);
      case '0':
        return fmt::format("{:0{}}", values.rank, std::to_string(values.ranks - 1).size());
      case 'h':
        return std::string(values.host);
      case 's':
        return std::string(values.stream);
      case 'g':
      case 'p':
        return "0";
      case '%':
        return "%";
      default:
        return std::nullopt;
    }
  });
}

bool names_time(std::string_view pattern) {
  return pattern.find("%t") != std::string_view::npos || pattern.find("%T") != std::string_view::npos;
}

std::string expand_time(std::string_view pattern, std::time_t now) {
  return replace(pattern, [now](char name) -> std::optional<std::string> {
    if (name == 't') return std::to_string(now);
    if (name != 'T') return std::nullopt;
    std::tm local{};
    localtime_r(&now, &local);
    char text[64];
    return std::string(text, strftime(text, sizeof text, "%a %b %e %H:%M:%S %Y", &local));
  });
}

}  // namespace bowline::launcher
