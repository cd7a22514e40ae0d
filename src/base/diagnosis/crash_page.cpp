// SPDX-License-Identifier: BSD-3-Clause
// After a crash only functions may be called that need no lock and no memory of the heap: write(2), vfork(2), execve(2)
// and the like. The unwinder of the compiler is not on POSIX's list, but takes no lock once it has been used. What
// else is needed is prepared before.
#include "base/diagnosis/crash_page.hpp"

#include <execinfo.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <string>

#include "base/atomic.hpp"
#include "base/diagnosis/source_lines.hpp"
#include "base/tunable.hpp"

namespace bowline {
namespace {

Tunable<bool> backtrace{"backtrace", true, false, true,
                        "whether a process that crashes writes the signal and its stack to standard error"};

struct CrashSignal {
  int number;
  std::string_view name;
};
constexpr std::array crash_signals{CrashSignal{SIGSEGV, "SIGSEGV, an invalid address"},
                                   CrashSignal{SIGBUS, "SIGBUS, memory that is not there or not aligned"},
                                   CrashSignal{SIGFPE, "SIGFPE, an arithmetic error"},
                                   CrashSignal{SIGILL, "SIGILL, an invalid instruction"},
                                   CrashSignal{SIGABRT, "SIGABRT, abort() or an uncaught exception"}};

constexpr std::size_t most_frames = 48;
constexpr std::size_t most_in_name = 512;
constexpr std::size_t stack_bytes = 64 << 10;
constexpr int decimal = 10, hexadecimal = 16;

/// Prepared by show_crashes().
struct Prepared {
  std::array<char, most_in_name> who{};
  std::array<char, 4096> program{};  ///< source_lines_program()
  Atomic<bool> crashed{false};       ///< whether a thread has begun to write the page
};
Prepared prepared;

class Text {
 public:
  void add(std::string_view words) noexcept {
    const std::size_t count = std::min(words.size(), room_.size() - 1 - used_);
    std::copy_n(words.begin(), count, room_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += count;
  }
  void add(std::uint64_t number, int base) noexcept {
    std::array<char, 24> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
    add({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  char* c_str() noexcept { return room_.data(); }  // the room is filled with zeros
  void write_to(int descriptor) const noexcept {
    static_cast<void>(!write(descriptor, room_.data(), used_));  // nobody can be told if that fails
  }

 private:
  std::array<char, 2 * most_in_name> room_{};
  std::size_t used_ = 0;
};

struct Stack {
  std::array<std::uintptr_t, most_frames> addresses;  ///< return addresses
  std::size_t count = 0;
  bool crashed = false;  ///< whether the frame in which the signal arrived has been reached
};

_Unwind_Reason_Code take_frame(_Unwind_Context* frame, void* result) noexcept {
  Stack& stack = *static_cast<Stack*>(result);
  int is_before = 0;  // set in the frame that a signal has interrupted
  const std::uintptr_t address = _Unwind_GetIPInfo(frame, &is_before);
  stack.crashed = stack.crashed || is_before != 0;
  if (!stack.crashed || address == 0) return _URC_NO_REASON;
  if (stack.count == most_frames) return _URC_END_OF_STACK;
  stack.addresses[stack.count++] = address + (is_before != 0 ? 1 : 0);
  return _URC_NO_REASON;
}

/// Starts the program that knows source lines, and waits for its end for a while. Returns whether it was there.
bool show_lines(const Text& head, const Stack& stack) noexcept {
  if (prepared.program[0] == '\0') return false;
  static std::array<Text, most_frames> words;
  static std::array<char*, most_frames + 4> arguments;
  static char stack_option[] = "stack";
  static Text title = head;
  std::size_t next = 0;
  arguments[next++] = prepared.program.data();
  arguments[next++] = stack_option;
  arguments[next++] = title.c_str();
  for (std::size_t i = 0; i < stack.count; ++i) {
    words[i].add(static_cast<std::uint64_t>(getpid()), decimal);
    words[i].add(":");
    words[i].add(stack.addresses[i], hexadecimal);
    arguments[next++] = words[i].c_str();
  }
  arguments[next] = nullptr;
  static char* no_environment[] = {nullptr};  // no preloaded library
  const pid_t child = vfork();
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execve(prepared.program.data(), arguments.data(), no_environment);
    _exit(errno == ENOENT ? 1 : 2);
  }
  if (child < 0) return false;
  constexpr timespec a_moment{.tv_sec = 0, .tv_nsec = 10'000'000};
  constexpr int moments = 1000;
  int status = -1;
  for (int i = 0; i < moments && waitpid(child, &status, WNOHANG) == 0; ++i) nanosleep(&a_moment, nullptr);
  if (status == -1) kill(child, SIGKILL);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void write_page(int signal, const siginfo_t& info) noexcept {
  Text head;
  head.add(prepared.who.data());
  head.add(" crashed with signal ");
  head.add(static_cast<std::uint64_t>(signal), decimal);
  const auto* const known = std::ranges::find(crash_signals, signal, &CrashSignal::number);
  head.add(" (");
  head.add(known == crash_signals.end() ? "unknown" : known->name);
  if (signal == SIGSEGV || signal == SIGBUS) {
    head.add(": 0x");
    head.add(reinterpret_cast<std::uintptr_t>(info.si_addr), hexadecimal);
  }
  head.add(") in:");
  static Stack stack;
  _Unwind_Backtrace(take_frame, &stack);
  if (show_lines(head, stack)) return;
  head.add("\n");
  head.write_to(STDERR_FILENO);
  static std::array<void*, most_frames> raw;
  for (std::size_t i = 0; i < stack.count; ++i) raw[i] = reinterpret_cast<void*>(stack.addresses[i]);
  backtrace_symbols_fd(raw.data(), static_cast<int>(stack.count), STDERR_FILENO);
}

/// The handler has been reset to the default action when it runs. An instruction that crashes does so again when the
/// handler returns, and abort() ends the process by itself; a signal that was sent is sent again.
void on_crash(int signal, siginfo_t* info, void*) noexcept {
  const int error = errno;
  if (prepared.crashed.exchange(true, std::memory_order_relaxed)) {
    for (;;) pause();  // the first thread that crashes ends the process
  }
  write_page(signal, *info);
  errno = error;
  const bool was_sent = info->si_code <= 0;
  if (was_sent && signal != SIGABRT) raise(signal);
}

_Unwind_Reason_Code nothing(_Unwind_Context*, void*) noexcept {
  return _URC_END_OF_STACK;
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

void show_crashes(std::string_view who) {
  if (!backtrace.value()) return;
  std::copy_n(who.begin(), std::min(who.size(), prepared.who.size() - 1), prepared.who.begin());
  const std::string program = source_lines_program();
  if (program.size() < prepared.program.size()) std::ranges::copy(program, prepared.program.begin());
  _Unwind_Backtrace(nothing, nullptr);  // its first use loads a library
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
