// SPDX-License-Identifier: BSD-3-Clause
// The types and the special addresses of Open MPI's ABI.
#pragma once

#include <cstddef>

namespace abi {

using Comm = struct CommData*;
using Datatype = struct DatatypeData*;
using Errhandler = struct ErrhandlerData*;
using File = struct FileData*;
using Group = struct GroupData*;
using Info = struct InfoData*;
using Message = struct MessageData*;
using Op = struct OpData*;
using Request = struct RequestData*;
using Session = struct SessionData*;
using Win = struct WinData*;

struct Status {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int cancelled;
  std::size_t bytes;
};

// ---- special addresses

inline void* const in_place = reinterpret_cast<void*>(1);
inline void* const buffer_automatic = reinterpret_cast<void*>(4);
inline Status* const status_ignore = nullptr;
inline int* const unweighted = reinterpret_cast<int*>(2);
inline int* const weights_empty = reinterpret_cast<int*>(3);

}  // namespace abi
