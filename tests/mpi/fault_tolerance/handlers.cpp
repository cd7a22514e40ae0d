// SPDX-License-Identifier: BSD-3-Clause
// handlers throw|jump: an error handler leaves whatever call has failed by a C++ exception or by longjmp(), and all of
// MPI works afterwards. The program has several threads of which one calls MPI (MPI_THREAD_MULTIPLE), so that a lock
// that is not released shows. For four ranks, of which the last one dies.
#include <csetjmp>
#include <functional>
#include <string>

#include "survivors.hpp"

namespace {

struct Left {
  int code;
};

bool jumps = false;
std::jmp_buf back;
int code_of_jump = MPI_SUCCESS;

template <class Handle>
void leave(Handle*, int* code, ...) {
  if (!jumps) throw Left{*code};
  code_of_jump = *code;
  std::longjmp(back, 1);
}

/// Returns the code with which the handler has left the call.
int leave_by_jump(const std::function<int()>& call) {
  if (setjmp(back) != 0) return code_of_jump;
  call();
  return MPI_SUCCESS;
}

int leave_by_exception(const std::function<int()>& call) {
  try {
    call();
    return MPI_SUCCESS;
  } catch (const Left& left) {
    return left.code;
  }
}

void expect_left(const char* what, int error_class, const std::function<int()>& call) {
  const int code = jumps ? leave_by_jump(call) : leave_by_exception(call);
  if (!CHECK_EQ(survivors::class_of(code), error_class)) std::fprintf(stderr, "%s\n", what);
}

MPI_Comm make(MPI_Errhandler handler) {
  MPI_Comm made = survivors::duplicate();
  MPI_Comm_set_errhandler(made, handler);
  return made;
}

/// Messages and completions that wait for the victim.
void leave_messages(MPI_Comm comm) {
  static int value = 0;
  static MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  static MPI_Status statuses[2];
  const int failed = MPIX_ERR_PROC_FAILED, pending = MPIX_ERR_PROC_FAILED_PENDING;
  expect_left("recv", failed, [&] { return MPI_Recv(&value, 1, MPI_INT, 3, 1, comm, MPI_STATUS_IGNORE); });
  expect_left("any", failed, [&] { return MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, MPI_STATUS_IGNORE); });
  expect_left("probe", failed, [&] { return MPI_Probe(3, 1, comm, MPI_STATUS_IGNORE); });
  expect_left("ssend", failed, [&] { return MPI_Ssend(&value, 1, MPI_INT, 3, 1, comm); });
  MPI_Irecv(&value, 1, MPI_INT, 3, 1, comm, &requests[0]);
  expect_left("wait", failed, [&] { return MPI_Wait(&requests[0], MPI_STATUS_IGNORE); });
  CHECK(requests[0] == MPI_REQUEST_NULL);
  MPI_Irecv(&value, 1, MPI_INT, 3, 1, comm, &requests[0]);
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, comm, &requests[1]);
  expect_left("waitall", failed, [&] { return MPI_Waitall(2, requests, statuses); });
  expect_left("pending", pending, [&] { return MPI_Wait(&requests[1], MPI_STATUS_IGNORE); });
  CHECK(requests[1] != MPI_REQUEST_NULL);
  if (requests[0] != MPI_REQUEST_NULL)
    expect_left("rest", failed, [&] { return MPI_Wait(&requests[0], MPI_STATUS_IGNORE); });
  MPI_Cancel(&requests[1]);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
}

/// Calls of all members, which agree that the victim has failed and revoke, so that nobody waits.
void leave_collectives(MPI_Comm comm, MPI_Comm revoked) {
  static int flag = 7, sum = 0;
  static MPI_Comm made = MPI_COMM_NULL;
  static MPI_Request request = MPI_REQUEST_NULL;
  const int one = 1;
  expect_left("agree", MPIX_ERR_PROC_FAILED, [&] { return MPIX_Comm_agree(comm, &flag); });
  MPIX_Comm_revoke(revoked);
  expect_left("barrier", MPIX_ERR_REVOKED, [&] { return MPI_Barrier(revoked); });
  expect_left("allreduce", MPIX_ERR_REVOKED, [&] { return MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, revoked); });
  expect_left("dup", MPIX_ERR_REVOKED, [&] { return MPI_Comm_dup(revoked, &made); });
  expect_left("iallreduce", MPIX_ERR_REVOKED, [&] {
    const int code = MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, revoked, &request);
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

/// A barrier fails at least at one member, through shared memory.
void leave_barrier(MPI_Comm comm) {
  const auto barrier = [&] { return MPI_Barrier(comm); };
  const int code = jumps ? leave_by_jump(barrier) : leave_by_exception(barrier);
  MPIX_Comm_revoke(comm);
  int failed = code == MPI_SUCCESS ? 0 : 1, succeeded = 1 - failed;
  survivors::acknowledge(comm, 1);
  CHECK_EQ(MPIX_Comm_agree(comm, &succeeded), MPI_SUCCESS);
  CHECK_EQ(succeeded, 0);
}

void leave_calls_of_handlers(MPI_Comm comm) {
  expect_left("comm_call_errhandler", MPI_ERR_TAG, [&] { return MPI_Comm_call_errhandler(comm, MPI_ERR_TAG); });
  MPI_Win window = MPI_WIN_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &window);
  MPI_Win_create_errhandler(leave<MPI_Win>, &handler);
  MPI_Win_set_errhandler(window, handler);
  MPI_Errhandler_free(&handler);
  expect_left("win_call_errhandler", MPI_ERR_RMA_SYNC,
              [&] { return MPI_Win_call_errhandler(window, MPI_ERR_RMA_SYNC); });
  expect_left("win_unlock", MPI_ERR_RMA_SYNC, [&] { return MPI_Win_unlock(0, window); });
  CHECK_EQ(MPI_Win_free(&window), MPI_SUCCESS);
  MPI_File_create_errhandler(leave<MPI_File>, &handler);
  MPI_File_set_errhandler(MPI_FILE_NULL, handler);
  MPI_Errhandler_free(&handler);
  static MPI_File file = MPI_FILE_NULL;
  expect_left("file_open", MPI_ERR_NO_SUCH_FILE,
              [&] { return MPI_File_open(MPI_COMM_SELF, "no such file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file); });
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
}

void work(MPI_Comm comm) {
  int size = 0, sum = 0;
  const int one = 1;
  MPI_Comm_size(comm, &size);
  CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  CHECK_EQ(sum, size);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  program.learn();
  jumps = argc > 1 && std::string(argv[1]) == "jump";
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(leave<MPI_Comm>, &handler);
  MPI_Comm comm = make(handler), revoked = make(handler), damaged = make(handler), shrunk = MPI_COMM_NULL;
  MPI_Errhandler_free(&handler);
  if (check::rank == 3) survivors::die();
  for (int i = 0; i < 20; ++i) leave_messages(comm);
  leave_barrier(damaged);
  leave_collectives(comm, revoked);
  leave_calls_of_handlers(comm);
  CHECK_EQ(MPIX_Comm_shrink(comm, &shrunk), MPI_SUCCESS);
  work(shrunk);
  for (MPI_Comm* each : {&shrunk, &damaged, &revoked, &comm}) CHECK_EQ(MPI_Comm_free(each), MPI_SUCCESS);
  return program.finish();
}
