// SPDX-License-Identifier: BSD-3-Clause
// Text as a string in JSON.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace bowline::runtime {

/// With its quotation marks.
inline std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char each : text) {
    if (each == '"' || each == '\\') {
      result += '\\';
      result += each;
    } else if (static_cast<unsigned char>(each) < ' ') {
      result += fmt::format("\\u{:04x}", static_cast<unsigned char>(each));
    } else {
      result += each;
    }
  }
  return result += '"';
}

}  // namespace bowline::runtime
