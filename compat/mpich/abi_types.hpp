// SPDX-License-Identifier: BSD-3-Clause
// The types and the special addresses of MPICH's ABI.
#pragma once

namespace abi {

using Comm = int;
using Datatype = int;
using Errhandler = int;
using Group = int;
using Info = int;
using Message = int;
using Op = int;
using Request = int;
using Session = int;
using Win = int;
struct FileData;
using File = FileData*;

struct Status {
  int count_low;
  int count_high_and_cancelled;  ///< the lowest bit says whether the operation was cancelled
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
};

// ---- special addresses

// MPI_UNWEIGHTED and MPI_WEIGHTS_EMPTY are variables, of which the program may have copies.
#pragma GCC visibility push(default)
extern "C" int* const mpich_unweighted __asm__("MPI_UNWEIGHTED");
extern "C" int* const mpich_weights_empty __asm__("MPI_WEIGHTS_EMPTY");
#pragma GCC visibility pop

inline void* const in_place = reinterpret_cast<void*>(-1);
inline void* const buffer_automatic = reinterpret_cast<void*>(-2);
inline Status* const status_ignore = reinterpret_cast<Status*>(1);
inline int* const& unweighted = mpich_unweighted;
inline int* const& weights_empty = mpich_weights_empty;

}  // namespace abi
