// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.hpp"

#include <unistd.h>

#include <array>

#include "base/tunable.hpp"

namespace bowline::log {
namespace {

Tunable<int> log_level(TunableTraits(Category::diagnosis).for_users().at_any_time(), "log_level",
                       static_cast<int>(Level::warning), 0, 3,
                       "what is told on standard error: 0 errors, 1 warnings, 2 information, 3 debugging");

/// The name that begins each message, with a 0 at its end. The array allocates nothing, and exit() does not destroy it:
/// threads of other libraries may still log.
constinit std::array<char, 300> identity{"bowline"};

}  // namespace

void set_identity(int rank, std::string host) {
  *fmt::format_to_n(identity.data(), identity.size() - 1, "bowline: rank {} on {}", rank, host).out = '\0';
}

bool enabled(Level level) noexcept {
  return static_cast<int>(level) <= log_level.value();
}

void write(Level, std::string_view text) noexcept {
  // If standard error cannot be written, there is no place to report the failure.
  [[maybe_unused]] ssize_t written = 0;
  try {
    const std::string line = fmt::format("{}: {}\n", identity.data(), text);
    written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {  // no memory: as much of the text as fits here
    std::array<char, 512> line;
    char* const end = fmt::format_to_n(line.data(), line.size() - 1, "{}: {}", identity.data(), text).out;
    *end = '\n';
    written = ::write(STDERR_FILENO, line.data(), static_cast<std::size_t>(end + 1 - line.data()));
  }
}

}  // namespace bowline::log
