// SPDX-License-Identifier: BSD-3-Clause
#include "base/diagnosis/asked_page.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/diagnosis/stack_page.hpp"
#include "base/waits/wait_board.hpp"

namespace bowline {
namespace {

/// Whether a thread writes a page.
Atomic<bool> answering{false};

void add_seconds(SignalText& text, std::int64_t since) noexcept {
  constexpr std::int64_t nanoseconds_of_a_tenth = 100'000'000;
  constexpr std::int64_t tenths_of_a_second = 10;
  const std::int64_t now = std::chrono::nanoseconds(ShownWait::Clock::now().time_since_epoch()).count();
  const std::int64_t tenths = std::max<std::int64_t>(0, now - since) / nanoseconds_of_a_tenth;
  text.add(static_cast<std::uint64_t>(tenths / tenths_of_a_second));
  text.add(".");
  text.add(static_cast<std::uint64_t>(tenths % tenths_of_a_second));
  text.add(" s ");
}

void write_page(const char* signal, StackPart part) noexcept {
  SignalText title;
  title.add(stack_page_owner());
  title.add(" got ");
  title.add(signal);
  const WaitSlot::Glimpse wait = ShownWait::glimpse();
  if (wait.state == WaitSlot::State::waiting) {
    title.add(" while it waited for ");
    add_seconds(title, wait.since);
    title.add(wait.words());
  } else {
    title.add(" while it did not wait in MPI");
  }
  if (part == StackPart::whole) title.add("; its stack:");
  write_stack_page(title, part);
}

void answer_once(const char* signal, StackPart part) noexcept {
  const int error = errno;
  if (!answering.exchange(true, std::memory_order_acquire)) {
    write_page(signal, part);
    answering.store(false, std::memory_order_release);
  }
  errno = error;
}

/// The handler has been reset to the default action when it runs. A line suffices, because Slurm also ends the other
/// ranks like this when one of them has failed.
void on_sigterm(int) noexcept {
  answer_once("SIGTERM", StackPart::innermost);
  raise(SIGTERM);
}

void on_sigusr1(int) noexcept {
  answer_once("SIGUSR1", StackPart::whole);
}

/// Not SIG_IGN, which programs that the rank starts would inherit.
void do_nothing(int) noexcept {}

void install(int signal, void (*handler)(int), int flags) noexcept {
  struct sigaction old {};
  if (sigaction(signal, nullptr, &old) != 0 || old.sa_handler != SIG_DFL) return;
  struct sigaction ours {};
  ours.sa_handler = handler;
  ours.sa_flags = SA_ONSTACK | SA_RESTART | flags;
  sigemptyset(&ours.sa_mask);
  sigaction(signal, &ours, nullptr);
}

}  // namespace

void show_when_asked(const AskingSignals& signals) {
  if (signals.sigterm && signals.answers) install(SIGTERM, on_sigterm, static_cast<int>(SA_RESETHAND));
  if (signals.sigusr1) install(SIGUSR1, signals.answers ? on_sigusr1 : do_nothing, 0);
}

}  // namespace bowline
