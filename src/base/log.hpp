// SPDX-License-Identifier: BSD-3-Clause
// Messages to the user on standard error, one whole line at a time, each with the rank and host it comes from.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace bowline::log {

enum class Level : int { error = 0, warning = 1, info = 2, debug = 3 };

/// The rank and host in front of every line. Set once by MPI_Init. Not thread-safe.
void set_identity(int rank, std::string host);

bool enabled(Level level) noexcept;

/// Writes one line with a single write(2), so that lines of different ranks do not mix. Thread-safe.
void write(Level level, std::string_view text) noexcept;

/// If there is no memory for the line, these functions write its format string.

template <class... Args>
void message(Level level, fmt::format_string<Args...> format, Args&&... args) noexcept {
  if (!enabled(level)) return;
  try {
    write(level, fmt::format(format, std::forward<Args>(args)...));
  } catch (...) {
    const fmt::string_view raw = format;
    write(level, {raw.data(), raw.size()});
  }
}

template <class... Args>
void error(fmt::format_string<Args...> format, Args&&... args) noexcept {
  message(Level::error, format, std::forward<Args>(args)...);
}
template <class... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) noexcept {
  message(Level::warning, format, std::forward<Args>(args)...);
}
template <class... Args>
void info(fmt::format_string<Args...> format, Args&&... args) noexcept {
  message(Level::info, format, std::forward<Args>(args)...);
}

}  // namespace bowline::log
