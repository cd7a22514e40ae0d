// SPDX-License-Identifier: BSD-3-Clause
#include "base/diagnosis/crash_page.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/atomic.hpp"
#include "base/diagnosis/stack_page.hpp"

namespace bowline {
namespace {

struct CrashSignal {
  int number;
  std::string_view name;
};
constexpr std::array crash_signals{CrashSignal{SIGSEGV, "SIGSEGV, an invalid address"},
                                   CrashSignal{SIGBUS, "SIGBUS, memory that is not there or not aligned"},
                                   CrashSignal{SIGFPE, "SIGFPE, an arithmetic error"},
                                   CrashSignal{SIGILL, "SIGILL, an invalid instruction"},
                                   CrashSignal{SIGABRT, "SIGABRT, abort() or an uncaught exception"}};

constexpr std::size_t stack_bytes = 64 << 10;
constexpr int address_base = 16;

/// Whether a thread has begun to write the page.
Atomic<bool> crashed{false};

void write_page(int signal, const siginfo_t& info) noexcept {
  SignalText head;
  head.add(stack_page_owner());
  head.add(" crashed with signal ");
  head.add(static_cast<std::uint64_t>(signal));
  const auto* const known = std::ranges::find(crash_signals, signal, &CrashSignal::number);
  head.add(" (");
  head.add(known == crash_signals.end() ? "unknown" : known->name);
  if (signal == SIGSEGV || signal == SIGBUS) {
    head.add(": 0x");
    head.add(reinterpret_cast<std::uintptr_t>(info.si_addr), address_base);
  }
  head.add(") in:");
  write_stack_page(head, StackPart::whole);
}

/// The handler has been reset to the default action when it runs. An instruction that crashes does so again when the
/// handler returns, and abort() ends the process by itself; a signal that was sent is sent again.
void on_crash(int signal, siginfo_t* info, void*) noexcept {
  const int error = errno;
  if (crashed.exchange(true, std::memory_order_relaxed)) {
    for (;;) pause();  // the first thread that crashes ends the process
  }
  write_page(signal, *info);
  errno = error;
  const bool was_sent = info->si_code <= 0;
  const bool is_abort = signal == SIGABRT && info->si_pid == getpid();
  if (was_sent && !is_abort) raise(signal);
}

/// A stack that the process keeps; the system gives it pages when it is used.
void give_stack() noexcept {
  stack_t old{};
  if (sigaltstack(nullptr, &old) != 0 || (old.ss_flags & SS_DISABLE) == 0) return;
  void* const memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const stack_t own{.ss_sp = memory, .ss_flags = 0, .ss_size = stack_bytes};
  if (memory != MAP_FAILED) sigaltstack(&own, nullptr);
}

}  // namespace

void show_crashes() {
  give_stack();
  for (const CrashSignal& each : crash_signals) {
    struct sigaction old {};
    if (sigaction(each.number, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) continue;
    struct sigaction ours {};
    ours.sa_sigaction = on_crash;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
    sigemptyset(&ours.sa_mask);
    sigaction(each.number, &ours, nullptr);
  }
}

}  // namespace bowline
