// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 3.7.3, 3.7.6 and 3.8.4: the status of requests that stay, freeing and cancelling requests.
#include <fmt/format.h>

#include "api/entry/raising.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/this_process.hpp"
#include "api/point_to_point/requests.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

/// The request behind a handle that must not be null.
proto::Request& required(MPI_Request handle, const char* what) {
  if (handle == MPI_REQUEST_NULL) {
    throw Error(ErrorClass::request, fmt::format("request is MPI_REQUEST_NULL, which cannot be {}", what));
  }
  return request_of(handle, "request");
}

/// Throws Error (request) if MPI does not allow `what` for an active request of this kind. A request whose operation is
/// completed may be freed, because MPI_Request_get_status may have told the user of the completion.
void refuse_bound(const proto::Request& request, const char* what) {
  if (request.role != proto::Request::Role::special || !request.active || request.done) return;
  const char* const bound = static_cast<const proto::SpecialRequest&>(request).bound();
  if (bound == nullptr) return;
  throw CommError(this_process().with_context(request.context), ErrorClass::request,
                  fmt::format("request is {}, which cannot be {} (MPI-5.0, section 6.12): complete it first, as with "
                              "MPI_Wait",
                              bound, what));
}

void throw_if(const Failure& failure) {
  if (failure != nullptr) throw CommError(*failure);
}

}  // namespace

void request_free(MPI_Request* request) {
  proto::Request& freed = required(*request, "freed");
  refuse_bound(freed, "freed");
  *request = MPI_REQUEST_NULL;
  if (freed.shared) return;
  Failure failure;
  if (freed.done && freed.role == proto::Request::Role::special) {
    static_cast<proto::SpecialRequest&>(freed).before_gone();
    failure = failure_of(freed);
  }
  {
    proto::Engine& engine = engine_of(freed);
    const LockGuard hold(engine.lock());
    engine.release(freed);
  }
  throw_if(failure);
}

void cancel(MPI_Request* request) {
  proto::Request& cancelled = required(*request, "cancelled");
  if (!cancelled.active) {
    throw CommError(this_process().with_context(cancelled.context), ErrorClass::request,
                    "request is a persistent one that is not active, which cannot be cancelled: start it first");
  }
  refuse_bound(cancelled, "cancelled");
  if (cancelled.shared) return;
  proto::Engine& engine = engine_of(cancelled);
  if (!cancelled.lane_bound) return static_cast<proto::SpecialRequest&>(cancelled).cancel(engine);
  const LockGuard hold(engine.lock());
  engine.cancel(cancelled);
}

void request_get_status(MPI_Request request, int* flag, MPI_Status* status) {
  *flag = 1;
  if (request == MPI_REQUEST_NULL) return set_empty_status(status);
  proto::Request& asked = request_of(request, "request");
  if (!asked.active) return set_empty_status(status);
  if (!asked.done) this_process().lanes().poll();
  *flag = asked.done ? 1 : 0;
  if (*flag != 0) throw_if(look(asked, status));
}

void request_get_status_all(int count, const MPI_Request* handles, int* flag, const StatusTarget& statuses) {
  Requests requests(count, handles);
  if (!requests.all_done()) requests.poll();
  *flag = requests.all_done() ? 1 : 0;
  if (*flag == 0) return;
  StatusArray results(statuses);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests.active(i)) {
      results.filled(look(requests[i], results.slot()));
    } else {
      results.fill_empty();
    }
  }
  results.finish();
}
void request_get_status_all(int count, const MPI_Request array_of_requests[], int* flag,
                            MPI_Status* array_of_statuses) {
  request_get_status_all(count, array_of_requests, flag, StatusTarget{array_of_statuses});
}

void request_get_status_any(int count, const MPI_Request array_of_requests[], int* indx, int* flag,
                            MPI_Status* status) {
  Requests requests(count, array_of_requests);
  *indx = MPI_UNDEFINED;
  *flag = 1;
  if (!requests.any_active()) return set_empty_status(status);
  if (requests.first_done() == requests.size()) requests.poll();
  const std::size_t found = requests.first_done();
  *flag = found < requests.size() ? 1 : 0;
  if (*flag == 0) return;
  *indx = static_cast<int>(found);
  throw_if(look(requests[found], status));
}

void request_get_status_some(int incount, const MPI_Request* handles, int* outcount, int* indices,
                             const StatusTarget& statuses) {
  Requests requests(incount, handles);
  *outcount = MPI_UNDEFINED;
  if (!requests.any_active()) return;
  if (!requests.all_done()) requests.poll();  // completed requests stay, so they must not hide other requests
  StatusArray results(statuses);
  *outcount = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests.done(i)) continue;
    results.filled(look(requests[i], results.slot()));
    indices[(*outcount)++] = static_cast<int>(i);
  }
  results.finish();
}
void request_get_status_some(int incount, const MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
                             MPI_Status* array_of_statuses) {
  request_get_status_some(incount, array_of_requests, outcount, array_of_indices, StatusTarget{array_of_statuses});
}

}  // namespace bowline::api
