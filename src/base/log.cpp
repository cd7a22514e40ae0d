// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.hpp"

#include <unistd.h>

#include "base/tunable.hpp"

namespace bowline::log {
namespace {

Tunable<int> log_level{"log_level", static_cast<int>(Level::warning), 0, 3,
                       "what is told on standard error: 0 errors, 1 warnings, 2 information, 3 debugging"};

std::string& identity() {
  static std::string text = "bowline";
  return text;
}

}  // namespace

void set_identity(int rank, std::string host) {
  identity() = fmt::format("bowline: rank {} on {}", rank, host);
}

bool enabled(Level level) noexcept {
  return static_cast<int>(level) <= log_level.value();
}

void write(Level, std::string_view text) noexcept {
  std::string line;
  try {
    line = fmt::format("{}: {}\n", identity(), text);
  } catch (...) {
    return;  // no memory to say anything with
  }
  // A standard error that cannot be written leaves nowhere to report to.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace bowline::log
