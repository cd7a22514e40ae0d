// SPDX-License-Identifier: BSD-3-Clause
// What the functions of the private interface have in common.
#pragma once

#include "api/entry/call.hpp"
#include "api/entry/private_interface.hpp"

namespace bowline::api {

/// Does what an entry point does around its body, without the library's lock: nothing in the interface needs it.
template <class Body>
int guarded(const char* function, Body body) {
  Call call(function, Call::of_session);
  try {
    body(call);
    return MPI_SUCCESS;
  } catch (...) {
    return call.failed();
  }
}

// PrivateInterface's functions of these names, in private_completion.cpp.
int private_waitall(int count, MPI_Request* requests, const PrivateInterface::StatusArray& statuses);
int private_testall(int count, MPI_Request* requests, int* flag, const PrivateInterface::StatusArray& statuses);
int private_waitsome(int count, MPI_Request* requests, int* completed, int* indices,
                     const PrivateInterface::StatusArray& statuses);
int private_testsome(int count, MPI_Request* requests, int* completed, int* indices,
                     const PrivateInterface::StatusArray& statuses);
int private_request_get_status_all(int count, const MPI_Request* requests, int* flag,
                                   const PrivateInterface::StatusArray& statuses);
int private_request_get_status_some(int count, const MPI_Request* requests, int* completed, int* indices,
                                    const PrivateInterface::StatusArray& statuses);

}  // namespace bowline::api
