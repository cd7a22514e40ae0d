// SPDX-License-Identifier: BSD-3-Clause
// See await_debugger.hpp.
#include "launcher/debug/await_debugger.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstring>

namespace bowline::launcher {
namespace {

constexpr int debugger_look_ms = 10;

bool has_debugger() noexcept {
  constexpr const char* field = "TracerPid:\t";
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file < 0) return true;  // nobody could tell
  char text[1024];            // the field is among the first ones
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  text[size < 0 ? 0 : size] = '\0';
  const char* const at = strstr(text, field);
  return at == nullptr || at[strlen(field)] != '0';
}

}  // namespace

void await_debugger(int gate) noexcept {
  prctl(PR_SET_NAME, waiting_name);
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);  // kernels with Yama let only parents attach otherwise
  while (!has_debugger()) {
    pollfd end{.fd = gate, .events = 0, .revents = 0};
    if (poll(&end, 1, debugger_look_ms) > 0) return;
  }
}

}  // namespace bowline::launcher
