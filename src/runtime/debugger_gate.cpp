// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/debugger_gate.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/debugger_gate.hpp"
#include "base/number.hpp"

// MPIR 1.1: a debugger sets it to 1 in ranks that it lets go by itself. The compiler reads it again after each call of
// a function that it does not see.
extern "C" {
[[gnu::used, gnu::visibility("default")]] int MPIR_debug_gate = 0;
}

namespace bowline::runtime {
namespace {

constexpr int look_again_ms = 10;

/// The pipe that the launcher has left open; none if the user has closed it, or another file has its number.
std::optional<int> inherited_gate() noexcept {
  const char* const text = std::getenv(debugger_gate_variable);
  if (text == nullptr) return std::nullopt;
  const auto number = parse_number(text);
  struct stat facts {};
  if (!number || *number < 0 || fstat(static_cast<int>(*number), &facts) != 0 || !S_ISFIFO(facts.st_mode))
    return std::nullopt;
  return static_cast<int>(*number);
}

}  // namespace

void wait_at_debugger_gate() noexcept {
  const std::optional<int> gate = inherited_gate();
  if (!gate) return;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // kernels with Yama let only parents attach otherwise
  while (MPIR_debug_gate == 0) {
    pollfd end{.fd = *gate, .events = 0, .revents = 0};
    if (poll(&end, 1, look_again_ms) > 0) return;
  }
}

}  // namespace bowline::runtime
