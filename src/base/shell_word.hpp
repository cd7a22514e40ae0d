// SPDX-License-Identifier: BSD-3-Clause
// Words of a shell's command line.
#pragma once

#include <string>
#include <string_view>

namespace bowline {

/// The word in single quotes, as every shell of POSIX reads it back, whatever it contains.
inline std::string shell_quoted(std::string_view word) {
  std::string text = "'";
  for (const char each : word) {
    if (each == '\'') text += "'\\'";
    text += each;
  }
  return text + "'";
}

}  // namespace bowline
