// SPDX-License-Identifier: BSD-3-Clause
// The MPI function that the program has called, and where.
#pragma once

#include <cstdint>

namespace bowline {

struct MpiCall {
  const char* function = "MPI";   ///< such as "MPI_Recv"; lives as long as the library
  std::uintptr_t returns_to = 0;  ///< the address in the program to which the function returns; 0: not known
};

/// The MPI function that this thread executes; function "MPI" if none is on the stack. If a callback of one MPI
/// function has called another MPI function, returns the inner one.
///
/// The answer comes from the return addresses on the stack and the symbols that the library exports. Entry points
/// therefore record nothing. This function takes some tens of microseconds.
MpiCall mpi_call_on_stack() noexcept;

/// The same in a signal handler, for the code that the signal has interrupted.
MpiCall mpi_call_interrupted() noexcept;

/// The same as mpi_call_on_stack(), and remembers what it finds out about addresses, for callers that ask again and
/// again: that takes some microseconds. Allocates memory, so not for signal handlers.
MpiCall mpi_call_on_stack_again() noexcept;

/// The name of the MPI function that this thread executes while the object lives, for calls whose entry point is not on
/// the stack. Does not outweigh one that is.
class NamedMpiCall {
 public:
  explicit NamedMpiCall(const char* function) noexcept : before_(current) { current = function; }
  ~NamedMpiCall() { current = before_; }
  NamedMpiCall(const NamedMpiCall&) = delete;
  NamedMpiCall& operator=(const NamedMpiCall&) = delete;

  /// nullptr: none is named.
  static const char* name() noexcept { return current; }

 private:
  static inline constinit thread_local const char* current = nullptr;

  const char* before_;
};

}  // namespace bowline
