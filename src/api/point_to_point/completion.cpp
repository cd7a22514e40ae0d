// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 3.7: waiting for operations, and testing whether they are completed.
//
// Calls on several requests return MPI_ERR_IN_STATUS if a request failed. MPI_ERROR is then valid in every status.
#include "api/entry/raising.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/this_process.hpp"
#include "api/point_to_point/requests.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

/// For calls with one status: takes the request, and throws if its operation failed.
void take_or_throw(MPI_Request& handle, proto::Request& request, MPI_Status* status) {
  if (const Failure failure = take(handle, request, status)) throw CommError(*failure);
}

void take_all(Requests& requests, MPI_Request handles[], const StatusTarget& statuses) {
  StatusArray results(statuses);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests.over(i)) [[unlikely]] {
      results.goes_on(requests.why_not_done(i));
    } else if (requests.active(i)) {
      results.filled(take(handles[i], requests[i], results.slot()));
    } else {
      results.fill_empty();
    }
  }
  results.finish();
}

void take_some(Requests& requests, MPI_Request handles[], int* count, int* indices, const StatusTarget& statuses) {
  StatusArray results(statuses);
  *count = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests.pends(i)) [[unlikely]] {
      results.goes_on(requests.why_not_done(i));
    } else if (requests.done(i)) {
      results.filled(take(handles[i], requests[i], results.slot()));
    } else {
      continue;
    }
    indices[(*count)++] = static_cast<int>(i);
  }
  results.finish();
}

}  // namespace

void wait(MPI_Request* request, MPI_Status* status) {
  if (*request == MPI_REQUEST_NULL) return set_empty_status(status);
  proto::Request& waited = request_of(*request, "request");
  if (!waited.active) return set_empty_status(status);
  if (!waited.done) {
    if (waited.lane_bound) {
      proto::Engine& engine = engine_of(waited);
      const LockGuard hold(engine.lock());
      if (!engine.wait_unless_pending(waited)) [[unlikely]]
        throw CommError(pending_error(waited));
    } else {
      wait_anywhere([&] { return static_cast<bool>(waited.done); }, {&proto::request_awaited, &waited});
    }
  }
  take_or_throw(*request, waited, status);
}

void test(MPI_Request* request, int* flag, MPI_Status* status) {
  *flag = 1;
  if (*request == MPI_REQUEST_NULL) return set_empty_status(status);
  proto::Request& tested = request_of(*request, "request");
  if (!tested.active) return set_empty_status(status);
  if (!tested.done) this_process().lanes().poll();
  *flag = tested.done ? 1 : 0;
  if (*flag != 0) return take_or_throw(*request, tested, status);
  throw_if_pending(tested);
}

void waitall(int count, MPI_Request* handles, const StatusTarget& statuses) {
  Requests requests(count, handles);
  if (!requests.all_done()) requests.wait_for_all();
  take_all(requests, handles, statuses);
}
void waitall(int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses) {
  waitall(count, array_of_requests, StatusTarget{array_of_statuses});
}

void testall(int count, MPI_Request* handles, int* flag, const StatusTarget& statuses) {
  Requests requests(count, handles);
  if (!requests.all_done()) requests.poll();
  *flag = requests.all_done() || requests.any_pending() ? 1 : 0;
  if (*flag != 0) take_all(requests, handles, statuses);
}
void testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses) {
  testall(count, array_of_requests, flag, StatusTarget{array_of_statuses});
}

void waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  Requests requests(count, array_of_requests);
  *indx = MPI_UNDEFINED;
  if (!requests.any_active()) return set_empty_status(status);
  std::size_t found = requests.first_done();
  if (found == requests.size()) found = requests.wait_for_one();
  *indx = static_cast<int>(found);
  if (!requests.done(found)) [[unlikely]]
    throw_if_pending(requests[found]);
  take_or_throw(array_of_requests[found], requests[found], status);
}

void testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  Requests requests(count, array_of_requests);
  *indx = MPI_UNDEFINED;
  *flag = 1;
  if (!requests.any_active()) return set_empty_status(status);
  if (requests.first_done() == requests.size()) requests.poll();
  std::size_t found = requests.first_done();
  if (found == requests.size()) found = requests.first_pending();
  *flag = found < requests.size() ? 1 : 0;
  if (*flag == 0) return;
  *indx = static_cast<int>(found);
  throw_if_pending(requests[found]);
  take_or_throw(array_of_requests[found], requests[found], status);
}

void waitsome(int incount, MPI_Request* handles, int* outcount, int* indices, const StatusTarget& statuses) {
  Requests requests(incount, handles);
  *outcount = MPI_UNDEFINED;
  if (!requests.any_active()) return;
  if (requests.first_done() == requests.size()) requests.wait_for_one();
  take_some(requests, handles, outcount, indices, statuses);
}
void waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
              MPI_Status* array_of_statuses) {
  waitsome(incount, array_of_requests, outcount, array_of_indices, StatusTarget{array_of_statuses});
}

void testsome(int incount, MPI_Request* handles, int* outcount, int* indices, const StatusTarget& statuses) {
  Requests requests(incount, handles);
  *outcount = MPI_UNDEFINED;
  if (!requests.any_active()) return;
  if (requests.first_done() == requests.size()) requests.poll();
  take_some(requests, handles, outcount, indices, statuses);
}
void testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
              MPI_Status* array_of_statuses) {
  testsome(incount, array_of_requests, outcount, array_of_indices, StatusTarget{array_of_statuses});
}

}  // namespace bowline::api
