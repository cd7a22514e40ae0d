// SPDX-License-Identifier: BSD-3-Clause
// The functions of the private interface that complete several requests, with statuses in the caller's layout.
#include "api/checking/checked_call.hpp"
#include "api/entry/private_parts.hpp"
#include "api/entry/validators.hpp"
#include "api/point_to_point/requests.hpp"

namespace bowline::api {
namespace {

/// Checks the arguments that all functions below have, and runs the body.
template <class Body>
int completing(const char* function, int count, const MPI_Request* requests, Body body) {
  return guarded(function, [&](Call&) {
    const bool is_checked = Call::is_special() && CheckedCall::is_due();
    check::count(count, "count");
    check::array(requests, count, "array_of_requests");
    if (!is_checked) return body();
    CheckedCall checked(function, CheckedCall::executed_here);
    checked.takes(requests, count);
    try {
      body();
    } catch (...) {
      checked.taken();
      throw;
    }
    checked.taken();
  });
}

StatusTarget into(const PrivateInterface::StatusArray& statuses) noexcept {
  return {MPI_STATUSES_IGNORE, &statuses};
}

}  // namespace

int private_waitall(int count, MPI_Request* requests, const PrivateInterface::StatusArray& statuses) {
  return completing("MPI_Waitall", count, requests, [&] { waitall(count, requests, into(statuses)); });
}

int private_testall(int count, MPI_Request* requests, int* flag, const PrivateInterface::StatusArray& statuses) {
  return completing("MPI_Testall", count, requests, [&] {
    check::pointer(flag, "flag");
    testall(count, requests, flag, into(statuses));
  });
}

int private_waitsome(int count, MPI_Request* requests, int* completed, int* indices,
                     const PrivateInterface::StatusArray& statuses) {
  return completing("MPI_Waitsome", count, requests, [&] {
    check::pointer(completed, "outcount");
    waitsome(count, requests, completed, indices, into(statuses));
  });
}

int private_testsome(int count, MPI_Request* requests, int* completed, int* indices,
                     const PrivateInterface::StatusArray& statuses) {
  return completing("MPI_Testsome", count, requests, [&] {
    check::pointer(completed, "outcount");
    testsome(count, requests, completed, indices, into(statuses));
  });
}

int private_request_get_status_all(int count, const MPI_Request* requests, int* flag,
                                   const PrivateInterface::StatusArray& statuses) {
  return completing("MPI_Request_get_status_all", count, requests, [&] {
    check::pointer(flag, "flag");
    request_get_status_all(count, requests, flag, into(statuses));
  });
}

int private_request_get_status_some(int count, const MPI_Request* requests, int* completed, int* indices,
                                    const PrivateInterface::StatusArray& statuses) {
  return completing("MPI_Request_get_status_some", count, requests, [&] {
    check::pointer(completed, "outcount");
    request_get_status_some(count, requests, completed, indices, into(statuses));
  });
}

}  // namespace bowline::api
