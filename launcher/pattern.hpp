// SPDX-License-Identifier: BSD-3-Clause
// Texts with % in them: what stands before lines of output, and the names of files that ranks write to.
#pragma once
#include <ctime>
#include <string>
#include <string_view>

namespace bowline::launcher {

/// What a pattern may name. %r: the rank; %0: with as many digits as the last rank has; %h: the host; %s: stdout or
/// stderr; %g, %p: 0, the number of a group and a proxy in MPICH's words; %%: a %. Others stay as they are.
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
