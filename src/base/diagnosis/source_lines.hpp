// SPDX-License-Identifier: BSD-3-Clause
// From code addresses to source lines. A program of its own, lib/bowline/source_lines, reads the debug information
// (launcher/source_lines): ranks need neither its libraries nor its memory.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bowline {

/// An address in a process that lives, and that this process may look into.
struct CodeAddress {
  pid_t process;
  std::uintptr_t address;  ///< a return address; 0: not known
};

/// The program that reads debug information: next to the library or the program that contains this function. Empty if
/// it is not there.
std::string source_lines_program();

/// For each address "solver.c:88", or "main+0x4f of solver" where there is no debug information, or nothing. Nothing
/// for all of them if the program is not there or does not answer in time. Starts a process, and waits for it; does not
/// throw, except for lack of memory.
std::vector<std::string> source_lines(std::span<const CodeAddress> addresses,
                                      std::chrono::milliseconds patience = std::chrono::seconds(5));

/// Where the program has called the MPI function that this thread executes, as source_lines() says it.
std::string place_of_mpi_call();

}  // namespace bowline
