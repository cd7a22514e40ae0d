// SPDX-License-Identifier: BSD-3-Clause
#include "base/diagnosis/stack_page.hpp"

#include <execinfo.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>

#include "base/diagnosis/source_lines.hpp"
#include "base/tunable.hpp"

namespace bowline {
namespace {

Tunable<bool> backtrace_wanted(TunableTraits(Category::diagnosis).for_users(), "backtrace", true, false, true,
                               "whether a process that crashes, or is asked by a signal, writes its stack to standard "
                               "error");

constexpr std::size_t most_frames = 48;
constexpr std::size_t most_in_name = 512;
constexpr int hexadecimal = 16;

/// Set by prepare_stack_pages().
struct Prepared {
  std::array<char, most_in_name> who{};
  std::array<char, 4096> program{};  ///< source_lines_program()
};
Prepared prepared;

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

/// The arguments of the program that knows source lines. Not on the stack, which may be short.
struct Arguments {
  SignalText title;
  std::array<SignalText, most_frames> words;
  std::array<char*, most_frames + 4> all{};
};

/// Starts the program that knows source lines, and waits for its end for a while. Returns whether it was there.
bool show_lines(const SignalText& title, const Stack& stack, StackPart part) noexcept {
  if (prepared.program[0] == '\0') return false;
  static Arguments arguments;
  static char whole[] = "stack";
  static char innermost[] = "innermost";
  arguments.title = title;
  std::size_t next = 0;
  arguments.all[next++] = prepared.program.data();
  arguments.all[next++] = part == StackPart::whole ? whole : innermost;
  arguments.all[next++] = arguments.title.c_str();
  for (std::size_t i = 0; i < stack.count; ++i) {
    SignalText& word = arguments.words[i] = {};
    word.add(static_cast<std::uint64_t>(getpid()));
    word.add(":");
    word.add(stack.addresses[i], hexadecimal);
    arguments.all[next++] = word.c_str();
  }
  arguments.all[next] = nullptr;
  static char* no_environment[] = {nullptr};  // no preloaded library
  const pid_t child = vfork();
  if (child == 0) {
    dup2(STDERR_FILENO, STDOUT_FILENO);
    execve(prepared.program.data(), arguments.all.data(), no_environment);
    _exit(errno == ENOENT ? 1 : 2);
  }
  if (child < 0) return false;
  constexpr timespec a_moment{.tv_sec = 0, .tv_nsec = 10'000'000};
  constexpr int moments = 1000;
  int status = 0;
  pid_t ended = 0;
  for (int i = 0; i < moments && (ended = waitpid(child, &status, WNOHANG)) == 0; ++i) nanosleep(&a_moment, nullptr);
  if (ended < 0) return true;  // it has ended, and the process ignores SIGCHLD, so the system keeps no status
  if (ended == 0) kill(child, SIGKILL);
  return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

_Unwind_Reason_Code nothing(_Unwind_Context*, void*) noexcept {
  return _URC_END_OF_STACK;
}

}  // namespace

bool prepare_stack_pages(std::string_view who) {
  if (!backtrace_wanted.value()) return false;
  std::copy_n(who.begin(), std::min(who.size(), prepared.who.size() - 1), prepared.who.begin());
  const std::string program = source_lines_program();
  if (program.size() < prepared.program.size()) std::ranges::copy(program, prepared.program.begin());
  _Unwind_Backtrace(nothing, nullptr);  // its first use loads a library
  return true;
}

std::string_view stack_page_owner() noexcept {
  return prepared.who.data();
}

void write_stack_page(const SignalText& title, StackPart part) noexcept {
  static Stack stack;  // not on the stack, which may be short
  stack = {};
  _Unwind_Backtrace(take_frame, &stack);
  if (show_lines(title, stack, part)) return;
  SignalText line = title;
  line.add("\n");
  line.write_to(STDERR_FILENO);
  if (part == StackPart::innermost) return;
  static std::array<void*, most_frames> raw;
  for (std::size_t i = 0; i < stack.count; ++i) raw[i] = reinterpret_cast<void*>(stack.addresses[i]);
  backtrace_symbols_fd(raw.data(), static_cast<int>(stack.count), STDERR_FILENO);
}

}  // namespace bowline
