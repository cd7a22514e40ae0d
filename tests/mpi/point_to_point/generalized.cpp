// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests: when the callbacks run and how often, what they are given, that their status and their errors
// reach the caller; in every completion call, alone and among point-to-point requests.
#include "generalized.hpp"

#include <array>

namespace {

using check::class_of;

const MPI_Comm world = MPI_COMM_WORLD;

void wait_and_test() {
  for (const bool ignore : {false, true}) {
    MPI_Status status;
    MPI_Status* const where = ignore ? MPI_STATUS_IGNORE : &status;
    Operation waited;
    waited.complete();
    CHECK_EQ(waited.queries, 0);
    CHECK_EQ(MPI_Wait(&waited.request, where), MPI_SUCCESS);
    check_gone(waited);
    if (!ignore) check_status(status, waited);

    Operation tested;
    int flag = 1;
    CHECK_EQ(MPI_Test(&tested.request, &flag, where), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(tested.queries + tested.frees, 0);
    tested.complete();
    CHECK_EQ(MPI_Test(&tested.request, &flag, where), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    check_gone(tested);
    if (!ignore) check_status(status, tested);
    CHECK_EQ(waited.cancels + tested.cancels, 0);
  }
}

// Looking asks query_fn each time and frees nothing.
void get_status() {
  Operation operation;
  MPI_Status status;
  int flag = 1;
  CHECK_EQ(MPI_Request_get_status(operation.request, &flag, &status), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
  operation.complete();
  for (int looks = 1; looks <= 3; ++looks) {
    CHECK_EQ(MPI_Request_get_status(operation.request, &flag, &status), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(operation.queries, looks);
    CHECK_EQ(operation.frees, 0);
    check_status(status, operation);
    operation.tag = 77 + looks;  // the next look, and the wait, see the new one
  }
  CHECK_EQ(MPI_Wait(&operation.request, &status), MPI_SUCCESS);
  CHECK_EQ(operation.queries, 4);
  CHECK_EQ(operation.frees, 1);
  check_status(status, operation);
}

// MPI_Request_free and MPI_Grequest_complete: the later of the two frees.
void request_free() {
  Operation first_complete;
  first_complete.complete();
  CHECK_EQ(MPI_Request_free(&first_complete.request), MPI_SUCCESS);
  CHECK_EQ(first_complete.frees, 1);
  CHECK_EQ(first_complete.queries, 0);
  CHECK(first_complete.request == MPI_REQUEST_NULL);

  Operation first_free;
  const MPI_Request handle = first_free.request;
  CHECK_EQ(MPI_Request_free(&first_free.request), MPI_SUCCESS);
  CHECK(first_free.request == MPI_REQUEST_NULL);
  CHECK_EQ(first_free.frees, 0);
  CHECK_EQ(MPI_Grequest_complete(handle), MPI_SUCCESS);
  CHECK_EQ(first_free.frees, 1);
  CHECK_EQ(first_free.queries, 0);
}

// MPI_Cancel only tells cancel_fn; the operation still has to complete, and says itself whether it was cancelled.
void cancel() {
  for (const bool before : {true, false}) {
    for (const bool success : {true, false}) {
      Operation operation;
      operation.is_cancelled = success;
      if (!before) operation.complete();
      CHECK_EQ(MPI_Cancel(&operation.request), MPI_SUCCESS);
      CHECK_EQ(operation.cancels, 1);
      CHECK_EQ(operation.complete_at_cancel != 0, !before);
      if (before) {
        int flag = 1;
        CHECK_EQ(MPI_Test(&operation.request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(flag, 0);
        operation.complete();
      }
      MPI_Status status;
      CHECK_EQ(MPI_Wait(&operation.request, &status), MPI_SUCCESS);
      check_status(status, operation);
      check_gone(operation);
    }
  }
  Operation failing;
  failing.cancel_result = MPI_ERR_IO;
  CHECK_EQ(class_of(MPI_Cancel(&failing.request)), MPI_ERR_IO);
  failing.complete();
  CHECK_EQ(MPI_Wait(&failing.request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  check_gone(failing);
}

// The error of free_fn, the last callback, is what the caller is told. (Where query_fn alone fails the standard leaves
// the waiting calls open; MPI_Request_get_status, which calls nothing else, returns its error.)
void errors() {
  for (const int query_result : {MPI_SUCCESS, MPI_ERR_ARG}) {
    for (const bool wait : {true, false}) {
      Operation operation;
      operation.query_result = query_result;
      operation.free_result = MPI_ERR_IO;
      operation.complete();
      int flag = 1;
      const int code = wait ? MPI_Wait(&operation.request, MPI_STATUS_IGNORE)
                            : MPI_Test(&operation.request, &flag, MPI_STATUS_IGNORE);
      CHECK_EQ(class_of(code), MPI_ERR_IO);
      check_gone(operation);
    }
  }
  Operation queried;
  queried.query_result = MPI_ERR_ARG;
  queried.complete();
  int flag = 0;
  CHECK_EQ(class_of(MPI_Request_get_status(queried.request, &flag, MPI_STATUS_IGNORE)), MPI_ERR_ARG);
  queried.query_result = MPI_SUCCESS;
  CHECK_EQ(MPI_Wait(&queried.request, MPI_STATUS_IGNORE), MPI_SUCCESS);

  Operation freed;
  freed.free_result = MPI_ERR_IO;
  freed.complete();
  CHECK_EQ(class_of(MPI_Request_free(&freed.request)), MPI_ERR_IO);
  CHECK_EQ(freed.frees, 1);
}

// A list of one that fails, one that does not, a null request and a message to this rank.
void list(bool wait, bool fail) {
  Operation bad, good;
  if (fail) bad.free_result = MPI_ERR_IO;
  int in = -1, flag = 0;
  std::array<MPI_Request, 4> requests = {bad.request, good.request, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  std::array<MPI_Status, 4> statuses;
  statuses.fill(check::spoilt());
  MPI_Irecv(&in, 1, MPI_INT, check::rank, 3, world, &requests[3]);
  MPI_Send(&check::size, 1, MPI_INT, check::rank, 3, world);
  CHECK_EQ(MPI_Testall(4, requests.data(), &flag, statuses.data()), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
  bad.complete();
  good.complete();
  int code = MPI_SUCCESS;
  if (wait) code = MPI_Waitall(4, requests.data(), statuses.data());
  while (!wait && !flag && code == MPI_SUCCESS) code = MPI_Testall(4, requests.data(), &flag, statuses.data());
  CHECK_EQ(class_of(code), fail ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
  if (fail) {
    CHECK_EQ(class_of(statuses[0].MPI_ERROR), MPI_ERR_IO);
    for (const std::size_t i : {1, 2, 3}) CHECK_EQ(class_of(statuses[i].MPI_ERROR), MPI_SUCCESS);
  }
  check_status(statuses[0], bad);
  check_status(statuses[1], good);
  CHECK(check::is_empty(statuses[2]));
  CHECK(check::is_message(statuses[3], check::rank, 3, 1));
  CHECK_EQ(in, check::size);
  for (const MPI_Request& request : requests) CHECK(request == MPI_REQUEST_NULL);
  CHECK_EQ(bad.queries + bad.frees + good.queries + good.frees, 4);
}

// MPI_Waitany and MPI_Testsome find the one that is complete.
void one_of_several() {
  std::array<Operation, 3> operations;
  std::array<MPI_Request, 3> requests;
  for (std::size_t i = 0; i < 3; ++i) requests[i] = operations[i].request;
  std::array<MPI_Status, 3> statuses;
  std::array<int, 3> indices;
  int index = -1, count = -1;
  operations[2].complete();
  CHECK_EQ(MPI_Waitany(3, requests.data(), &index, &statuses[0]), MPI_SUCCESS);
  CHECK_EQ(index, 2);
  check_status(statuses[0], operations[2]);
  CHECK_EQ(MPI_Testsome(3, requests.data(), &count, indices.data(), statuses.data()), MPI_SUCCESS);
  CHECK_EQ(count, 0);
  operations[0].complete();
  CHECK_EQ(MPI_Testsome(3, requests.data(), &count, indices.data(), statuses.data()), MPI_SUCCESS);
  CHECK_EQ(count, 1);
  CHECK_EQ(indices[0], 0);
  operations[1].complete();
  CHECK_EQ(MPI_Waitsome(3, requests.data(), &count, indices.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQ(count, 1);
  CHECK_EQ(indices[0], 1);
  for (const Operation& operation : operations) CHECK_EQ(operation.queries + operation.frees, 2);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  wait_and_test();
  get_status();
  request_free();
  cancel();
  errors();
  for (const bool wait : {true, false}) {
    for (const bool fail : {false, true}) list(wait, fail);
  }
  one_of_several();
  return program.finish();
}
