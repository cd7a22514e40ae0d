// SPDX-License-Identifier: BSD-3-Clause
// A page with the stack of a thread that a signal has interrupted, on standard error, with source lines.
//
// A signal handler may call only functions that need no lock and no memory of the heap: write(2), vfork(2), execve(2)
// and the like. The unwinder of the compiler is not on POSIX's list, but takes no lock once it has been used. What else
// is needed is prepared before.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/diagnosis/signal_text.hpp"

namespace bowline {

/// Call once per process, before a handler writes a page. `who`: such as "rank 3 on node7". Returns whether the user
/// wants pages (BOWLINE_BACKTRACE). Throws std::bad_alloc.
bool prepare_stack_pages(std::string_view who);
/// The name given to prepare_stack_pages(). May be called in a signal handler.
std::string_view stack_page_owner() noexcept;

enum class StackPart : std::uint8_t {
  whole,      ///< a line for each frame, from the one that the signal has interrupted outwards
  innermost,  ///< behind the title, the place of the innermost frame in the program: " (solver.c:88)"
};
/// Writes the title and this thread's stack, or a part of it. Takes some tens of milliseconds, in another process. To
/// be called in a signal handler, by one thread of the process at a time.
void write_stack_page(const SignalText& title, StackPart part) noexcept;

}  // namespace bowline
