// SPDX-License-Identifier: BSD-3-Clause
// See signals.hpp.
#include "launcher/signals.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <cstring>

namespace bowline::launcher {

sigset_t block_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : forwarded_signals) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&set, signal);
  }
  sigaddset(&set, SIGCHLD);
  sigset_t blocked = set;
  sigaddset(&blocked, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
  return set;
}

std::string describe_signal(int signal) {
  const char* text = sigdescr_np(signal);
  return fmt::format("{} ({})", signal, text == nullptr ? "unnamed" : text);
}

}  // namespace bowline::launcher
