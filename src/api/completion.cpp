// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 3.7: waiting and testing for the end of operations.
//
// A finished request is taken: its status goes to the user, its handle becomes MPI_REQUEST_NULL. Calls on several
// requests return MPI_ERR_IN_STATUS if one of them failed, and then every status says how its operation went.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "api/handles.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

proto::Engine& engine() {
  return runtime().world().engine();
}

comm::Communicator& comm_of(const proto::Request& request) {
  comm::Communicator* const comm = runtime().with_context(request.context);
  return comm != nullptr ? *comm : runtime().self();
}

using Failure = std::unique_ptr<CommError>;

/// Takes a finished request: its status goes to the user, the request back to the engine, and its handle becomes
/// MPI_REQUEST_NULL. Returns why the operation failed; nullptr if it succeeded.
Failure take(MPI_Request& handle, proto::Request& request, MPI_Status* status) {
  Failure failure;
  if (request.failure != nullptr) [[unlikely]] {
    failure = std::make_unique<CommError>(comm_of(request), request.failure->error_class(), request.failure->what());
  }
  set_status(status, request.status);
  engine().release(request);
  handle = MPI_REQUEST_NULL;
  return failure;
}

/// For calls with one status.
void take_or_throw(MPI_Request& handle, proto::Request& request, MPI_Status* status) {
  if (const Failure failure = take(handle, request, status)) throw CommError(*failure);
}

/// The requests of a call on several. Every handle is checked before anything is waited for.
class Requests {
 public:
  Requests(int count, MPI_Request* handles) : handles_(handles, static_cast<std::size_t>(count)) {
    for (int i = 0; i < count; ++i) {
      if (handles[i] != MPI_REQUEST_NULL) {
        request_of(handles[i], "array_of_requests", i);
        any_active_ = true;
      }
    }
  }

  bool any_active() const noexcept { return any_active_; }
  std::size_t size() const noexcept { return handles_.size(); }
  bool active(std::size_t i) const noexcept { return handles_[i] != MPI_REQUEST_NULL; }
  proto::Request& operator[](std::size_t i) const noexcept { return *reinterpret_cast<proto::Request*>(handles_[i]); }
  bool done(std::size_t i) const noexcept { return active(i) && (*this)[i].done; }

  /// Index of the first finished one; size() if none has finished.
  std::size_t first_done() const noexcept {
    std::size_t i = 0;
    while (i < size() && !done(i)) ++i;
    return i;
  }
  bool all_done() noexcept {
    // What was found done stays done: a waiting loop looks at each request once.
    while (checked_ < size() && (!active(checked_) || done(checked_))) ++checked_;
    return checked_ == size();
  }

  Failure take(std::size_t i, MPI_Status* status) { return api::take(handles_[i], (*this)[i], status); }
  void take_or_throw(std::size_t i, MPI_Status* status) { api::take_or_throw(handles_[i], (*this)[i], status); }

 private:
  std::span<MPI_Request> handles_;
  std::size_t checked_ = 0;
  bool any_active_ = false;
};

/// The statuses of several requests, in the order in which they are taken, and which of them failed.
class StatusArray {
 public:
  explicit StatusArray(MPI_Status* statuses) : statuses_(statuses) {}

  /// Where the next status goes.
  MPI_Status* slot() noexcept { return statuses_ == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses_[used_]; }
  void taken(Failure failure) {
    if (failure != nullptr) [[unlikely]]
      failures_.emplace_back(used_, std::move(failure));
    ++used_;
  }

  /// Throws if a request failed. MPI_ERROR is written only then (MPI-5.0, section 3.7.5).
  void finish() {
    if (failures_.empty()) [[likely]]
      return;
    if (statuses_ != MPI_STATUSES_IGNORE) {
      for (std::size_t i = 0; i < used_; ++i) statuses_[i].MPI_ERROR = MPI_SUCCESS;
      for (const auto& [i, failure] : failures_) statuses_[i].MPI_ERROR = static_cast<int>(failure->error_class());
    }
    const CommError& first = *failures_.front().second;
    throw CommError(first.comm, ErrorClass::in_status, first.what());
  }

 private:
  MPI_Status* statuses_;
  std::size_t used_ = 0;
  std::vector<std::pair<std::size_t, Failure>> failures_;
};

void take_all(Requests& requests, MPI_Status* statuses) {
  StatusArray results(statuses);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests.active(i)) {
      results.taken(requests.take(i, results.slot()));
    } else {
      set_status(results.slot(), empty_status());
      results.taken(nullptr);
    }
  }
  results.finish();
}

void take_some(Requests& requests, int* count, int* indices, MPI_Status* statuses) {
  StatusArray results(statuses);
  *count = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!requests.done(i)) continue;
    results.taken(requests.take(i, results.slot()));
    indices[(*count)++] = static_cast<int>(i);
  }
  results.finish();
}

}  // namespace

void wait(MPI_Request* request, MPI_Status* status) {
  if (*request == MPI_REQUEST_NULL) return set_status(status, empty_status());
  proto::Request& waited = request_of(*request, "request");
  engine().wait(waited);
  take_or_throw(*request, waited, status);
}

void test(MPI_Request* request, int* flag, MPI_Status* status) {
  *flag = 1;
  if (*request == MPI_REQUEST_NULL) return set_status(status, empty_status());
  proto::Request& tested = request_of(*request, "request");
  if (!tested.done) engine().progress();
  *flag = tested.done ? 1 : 0;
  if (tested.done) take_or_throw(*request, tested, status);
}

void waitall(int count, MPI_Request array_of_requests[], MPI_Status* array_of_statuses) {
  Requests requests(count, array_of_requests);
  engine().wait_until([&] { return requests.all_done(); });
  take_all(requests, array_of_statuses);
}

void testall(int count, MPI_Request array_of_requests[], int* flag, MPI_Status* array_of_statuses) {
  Requests requests(count, array_of_requests);
  if (!requests.all_done()) engine().progress();
  *flag = requests.all_done() ? 1 : 0;
  if (*flag != 0) take_all(requests, array_of_statuses);
}

void waitany(int count, MPI_Request array_of_requests[], int* indx, MPI_Status* status) {
  Requests requests(count, array_of_requests);
  *indx = MPI_UNDEFINED;
  if (!requests.any_active()) return set_status(status, empty_status());
  std::size_t found = 0;
  engine().wait_until([&] { return (found = requests.first_done()) < requests.size(); });
  *indx = static_cast<int>(found);
  requests.take_or_throw(found, status);
}

void testany(int count, MPI_Request array_of_requests[], int* indx, int* flag, MPI_Status* status) {
  Requests requests(count, array_of_requests);
  *indx = MPI_UNDEFINED;
  *flag = 1;
  if (!requests.any_active()) return set_status(status, empty_status());
  if (requests.first_done() == requests.size()) engine().progress();
  const std::size_t found = requests.first_done();
  *flag = found < requests.size() ? 1 : 0;
  if (*flag == 0) return;
  *indx = static_cast<int>(found);
  requests.take_or_throw(found, status);
}

void waitsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
              MPI_Status* array_of_statuses) {
  Requests requests(incount, array_of_requests);
  *outcount = MPI_UNDEFINED;
  if (!requests.any_active()) return;
  engine().wait_until([&] { return requests.first_done() < requests.size(); });
  take_some(requests, outcount, array_of_indices, array_of_statuses);
}

void testsome(int incount, MPI_Request array_of_requests[], int* outcount, int array_of_indices[],
              MPI_Status* array_of_statuses) {
  Requests requests(incount, array_of_requests);
  *outcount = MPI_UNDEFINED;
  if (!requests.any_active()) return;
  if (requests.first_done() == requests.size()) engine().progress();
  take_some(requests, outcount, array_of_indices, array_of_statuses);
}

void request_free(MPI_Request* request) {
  if (*request == MPI_REQUEST_NULL) {
    throw Error(ErrorClass::request, "request is MPI_REQUEST_NULL: give a request that has begun");
  }
  proto::Request& freed = request_of(*request, "request");
  engine().release(freed);
  *request = MPI_REQUEST_NULL;
}

}  // namespace bowline::api
