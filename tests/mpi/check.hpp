// SPDX-License-Identifier: BSD-3-Clause
// The harness of the multi-rank test programs: checks that say rank, file and line, and an exit status that tells.
//
// A program makes one check::Program, calls CHECK and CHECK_EQ, and returns program.finish() from main. Its exit status
// is 0 only if MPI_Finalize returned, at least one check was made on this rank and none failed. For single-threaded
// programs.
#pragma once

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <string>

namespace check {

inline int rank = -1;  // in MPI_COMM_WORLD; -1 before MPI_Init
inline int size = 0;
inline long made = 0;
inline long failed = 0;

// The neighbours in the ring of all ranks.
inline int right() {
  return (rank + 1) % size;
}
inline int left() {
  return (rank + size - 1) % size;
}

// Writes one line about a check that did not hold. Past the twentieth they are only counted, so that a broken loop
// stays readable.
inline void report(const char* file, int line, const std::string& text) {
  if (++failed > 20) return;
  std::ostringstream message;
  message << "rank " << rank << ": " << file << ":" << line << ": " << text << "\n";
  std::cerr << message.str() << std::flush;
}

inline bool that(bool holds, const char* what, const char* file, int line) {
  ++made;
  if (!holds) report(file, line, std::string(what) + " does not hold");
  return holds;
}

template <typename Left, typename Right>
bool equal(const Left& left, const Right& right, const char* what, const char* file, int line) {
  ++made;
  if (left == right) return true;
  std::ostringstream message;
  message << what << ": " << left << " is not " << right;
  report(file, line, message.str());
  return false;
}

// Starts MPI and ends it; there is one in a program.
class Program {
 public:
  Program(int& argc, char**& argv) {
    that(MPI_Init(&argc, &argv) == MPI_SUCCESS, "MPI_Init", __FILE__, __LINE__);
    learn();
  }

  // For programs that call MPI_Init or MPI_Init_thread themselves: call learn() after it.
  Program() = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void learn() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
  }

  // Calls MPI_Finalize and returns main's result.
  int finish() {
    that(MPI_Finalize() == MPI_SUCCESS, "MPI_Finalize", __FILE__, __LINE__);
    if (failed > 0) std::fprintf(stderr, "rank %d: %ld of %ld checks failed\n", rank, failed, made);
    if (rank == 0 && failed == 0) std::printf("rank 0 of %d: %ld checks passed\n", size, made);
    return failed == 0 && made > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
};

}  // namespace check

#define CHECK(condition) ::check::that(static_cast<bool>(condition), #condition, __FILE__, __LINE__)
#define CHECK_EQ(left, right) ::check::equal((left), (right), #left " == " #right, __FILE__, __LINE__)
