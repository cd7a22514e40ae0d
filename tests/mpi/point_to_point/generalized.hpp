// SPDX-License-Identifier: BSD-3-Clause
// A generalized request whose callbacks count and check what they are told.
#pragma once

#include "status.hpp"

// One user-defined operation: its callbacks count, and say what they were told to.
struct Operation {
  int queries = 0, frees = 0, cancels = 0;
  int complete_at_cancel = -1;
  int query_result = MPI_SUCCESS, free_result = MPI_SUCCESS, cancel_result = MPI_SUCCESS;
  int tag = 77;
  bool is_cancelled = false;
  bool completed = false;  // MPI_Grequest_complete was called
  MPI_Request request = MPI_REQUEST_NULL;

  Operation() { CHECK_EQ(MPI_Grequest_start(query, free, cancel, this, &request), MPI_SUCCESS); }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  void complete() {
    completed = true;
    CHECK_EQ(MPI_Grequest_complete(request), MPI_SUCCESS);
  }

  static int query(void* extra_state, MPI_Status* status) {
    auto& self = *static_cast<Operation*>(extra_state);
    CHECK(self.completed && self.frees == 0);
    if (CHECK(status != MPI_STATUS_IGNORE)) {  // a real one even if the user gave none
      status->MPI_SOURCE = 5;
      status->MPI_TAG = self.tag;
      MPI_Status_set_cancelled(status, self.is_cancelled ? 1 : 0);
    }
    ++self.queries;
    return self.query_result;
  }
  static int free(void* extra_state) {
    auto& self = *static_cast<Operation*>(extra_state);
    ++self.frees;
    return self.free_result;
  }
  static int cancel(void* extra_state, int complete) {
    auto& self = *static_cast<Operation*>(extra_state);
    self.complete_at_cancel = complete;
    ++self.cancels;
    return self.cancel_result;
  }
};

inline void check_status(const MPI_Status& status, const Operation& operation) {
  CHECK_EQ(status.MPI_SOURCE, 5);
  CHECK_EQ(status.MPI_TAG, operation.tag);
  CHECK_EQ(check::cancelled(status), operation.is_cancelled);
}

inline void check_gone(const Operation& operation) {
  CHECK_EQ(operation.queries, 1);
  CHECK_EQ(operation.frees, 1);
  CHECK(operation.request == MPI_REQUEST_NULL);
}
