// SPDX-License-Identifier: BSD-3-Clause
// For programs that start themselves as their children.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <string>
#include <vector>

#include "check.hpp"
#include "errors_and_hints.hpp"
#include "two_jobs.hpp"

namespace spawning {

/// The path of the program; main() sets it.
inline std::string program_name;

/// The arguments of a program: null-terminated, as MPI_Comm_spawn expects them.
class Arguments {
 public:
  Arguments(std::initializer_list<const char*> words) {
    for (const char* word : words) pointers_.push_back(const_cast<char*>(word));
    pointers_.push_back(nullptr);
  }
  operator char**() { return pointers_.data(); }

 private:
  std::vector<char*> pointers_;
};

/// Starts children that do what the words say. Only the root's arguments count.
inline MPI_Comm spawn(MPI_Comm comm, int root, int processes, Arguments words, MPI_Info info = MPI_INFO_NULL) {
  MPI_Comm children = MPI_COMM_NULL;
  std::vector<int> codes(static_cast<std::size_t>(std::max(processes, 1)), -1);
  const bool is_root = two_jobs::rank_in(comm) == root;
  const int code =
      is_root ? MPI_Comm_spawn(program_name.c_str(), words, processes, info, root, comm, &children, codes.data())
              : MPI_Comm_spawn(nullptr, nullptr, -7, MPI_INFO_NULL, root, comm, &children, codes.data());
  if (code != MPI_SUCCESS) std::fprintf(stderr, "%s\n", text_of(code).c_str());
  CHECK_EQ(code, MPI_SUCCESS);
  CHECK_EQ(std::ranges::count(codes, MPI_SUCCESS), std::ssize(codes));
  return children;
}

/// The end of a child, whose parents do not see its failed checks otherwise. Returns its exit status.
inline int finish_child() {
  const long failed = check::failed;
  MPI_Finalize();
  if (failed > 0) std::fprintf(stderr, "child %d: %ld checks failed\n", check::rank, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace spawning
