// SPDX-License-Identifier: BSD-3-Clause
// Patterns with %: the tags before lines of output, and the names of files to which ranks write.
#pragma once
#include <ctime>
#include <string>
#include <string_view>

namespace bowline::launcher {

/// The values that a pattern may name. %r: the rank; %0: with as many digits as the last rank has; %h: the host; %s:
/// stdout or stderr; %g, %p: 0, in MPICH the number of a group and a proxy; %%: a %. Other letters are not replaced.
struct PatternValues {
  int rank;
  int ranks;
  std::string_view host;
  std::string_view stream;
};
std::string expand(std::string_view pattern, const PatternValues& values);

/// Whether a pattern names the time: %t, in seconds since 1970, or %T, as a date.
bool names_time(std::string_view pattern);
std::string expand_time(std::string_view pattern, std::time_t now);

}  // namespace bowline::launcher
