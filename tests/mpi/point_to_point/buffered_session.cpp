// SPDX-License-Identifier: BSD-3-Clause
// The buffer of a session: it serves the communicators that come from the session and have none of their own. And the
// life of sessions: before, beside and after MPI_Init and MPI_Finalize.
#include <unistd.h>

#include <array>

#include "messages.hpp"

namespace {

constexpr std::size_t long_message = 400000;  // more than any transport takes without a receive
constexpr std::size_t room = long_message + MPI_BSEND_OVERHEAD;
MPI_Session session = MPI_SESSION_NULL;
MPI_Comm comm = MPI_COMM_NULL;  // all ranks, from the session

int peer() {
  const int pair = check::rank ^ 1;
  return pair < check::size ? pair : check::rank;
}

int bsend(MPI_Comm to, int tag) {
  const Bytes out = contents(long_message, check::rank + tag);
  return MPI_Bsend(out.data(), static_cast<int>(out.size()), MPI_BYTE, peer(), tag, to);
}

void receive(MPI_Comm from, int tag) {
  Bytes in(long_message);
  MPI_Status status;
  CHECK_EQ(MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_BYTE, peer(), tag, from, &status), MPI_SUCCESS);
  CHECK_STATUS(status, peer(), tag, static_cast<int>(long_message));
  CHECK(in == contents(long_message, peer() + tag));
}

// False as long as communicators cannot be made from sessions: then only what needs none is tested.
bool make_communicator() {
  MPI_Group group = MPI_GROUP_NULL;
  const int outcome = MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  if (outcome == MPI_ERR_UNSUPPORTED_OPERATION || !CHECK_EQ(outcome, MPI_SUCCESS)) return false;
  CHECK_EQ(MPI_Comm_create_from_group(group, "buffered_session", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
  return comm != MPI_COMM_NULL;
}

// Before the process's and behind the communicator's; and the world, which comes from no session, does without it.
void which_buffer() {
  Bytes of_session(room), of_comm(room), of_process(room);
  void* address = nullptr;
  int size = -1;
  CHECK_EQ(class_of(bsend(comm, 1)), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Session_attach_buffer(session, of_session.data(), static_cast<int>(room)), MPI_SUCCESS);
  CHECK_EQ(class_of(bsend(MPI_COMM_WORLD, 1)), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Buffer_attach(of_process.data(), static_cast<int>(room)), MPI_SUCCESS);
  CHECK_EQ(bsend(comm, 2), MPI_SUCCESS);
  CHECK_EQ(class_of(bsend(comm, 3)), MPI_ERR_BUFFER);  // full; the process's room does not help
  CHECK_EQ(MPI_Comm_attach_buffer(comm, of_comm.data(), static_cast<int>(room)), MPI_SUCCESS);
  CHECK_EQ(bsend(comm, 4), MPI_SUCCESS);
  CHECK_EQ(class_of(bsend(comm, 5)), MPI_ERR_BUFFER);
  CHECK_EQ(bsend(MPI_COMM_WORLD, 6), MPI_SUCCESS);
  MPI_Barrier(MPI_COMM_WORLD);  // until here nobody receives, so that full means full
  receive(MPI_COMM_WORLD, 6);
  receive(comm, 4);
  receive(comm, 2);
  CHECK_EQ(MPI_Comm_detach_buffer(comm, &address, &size), MPI_SUCCESS);
  CHECK(address == of_comm.data());
  CHECK_EQ(MPI_Session_detach_buffer(session, &address, &size), MPI_SUCCESS);
  CHECK(address == of_session.data());
  CHECK_EQ(size, static_cast<int>(room));
  CHECK_EQ(MPI_Buffer_detach(&address, &size), MPI_SUCCESS);
  CHECK(address == of_process.data());
  MPI_Barrier(MPI_COMM_WORLD);
  for (const MPI_Comm each : {comm, MPI_COMM_WORLD}) {
    int found = -1;  // what was refused was not sent
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, each, &found, MPI_STATUS_IGNORE);
    CHECK_EQ(found, 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void flush_and_automatic(bool automatic) {
  Bytes memory(3 * room);
  void* const buffer = automatic ? MPI_BUFFER_AUTOMATIC : memory.data();
  void* address = nullptr;
  MPI_Count size = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  int flag = -1;
  CHECK_EQ(MPI_Session_attach_buffer_c(session, buffer, static_cast<MPI_Count>(memory.size())), MPI_SUCCESS);
  for (const bool nonblocking : {false, true}) {
    for (int tag = 0; tag < 3; ++tag) CHECK_EQ(bsend(comm, tag), MPI_SUCCESS);
    if (nonblocking) {
      CHECK_EQ(MPI_Session_iflush_buffer(session, &request), MPI_SUCCESS);
      for (int i = 0; i < 100; ++i) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (!CHECK_EQ(flag, 0)) break;
      }
    }
    MPI_Barrier(comm);
    for (int tag = 2; tag >= 0; --tag) receive(comm, tag);
    CHECK_EQ(nonblocking ? MPI_Wait(&request, MPI_STATUS_IGNORE) : MPI_Session_flush_buffer(session), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Session_detach_buffer_c(session, &address, &size), MPI_SUCCESS);
  CHECK(address == buffer);
  if (!automatic) CHECK_EQ(size, static_cast<MPI_Count>(memory.size()));
}

void refused() {
  Bytes memory(10000), second(10000);
  void* address = nullptr;
  int size = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(class_of(MPI_Session_detach_buffer(session, &address, &size)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Session_flush_buffer(session)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Session_iflush_buffer(session, &request)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Session_attach_buffer(MPI_SESSION_NULL, memory.data(), 10000)), MPI_ERR_SESSION);
  for (void* const first : {static_cast<void*>(memory.data()), MPI_BUFFER_AUTOMATIC}) {
    CHECK_EQ(MPI_Session_attach_buffer(session, first, 10000), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Session_attach_buffer(session, second.data(), 10000)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Session_attach_buffer(session, MPI_BUFFER_AUTOMATIC, 0)), MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Session_detach_buffer(session, &address, &size), MPI_SUCCESS);
    CHECK(address == first);
  }
}

// Every function on a handle that is no session.
void no_session(MPI_Session handle) {
  Bytes memory(10000);
  void* address = nullptr;
  int size = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  CHECK_EQ(class_of(MPI_Session_attach_buffer(handle, memory.data(), 10000)), MPI_ERR_SESSION);
  CHECK_EQ(class_of(MPI_Session_detach_buffer(handle, &address, &size)), MPI_ERR_SESSION);
  CHECK_EQ(class_of(MPI_Session_flush_buffer(handle)), MPI_ERR_SESSION);
  CHECK_EQ(class_of(MPI_Session_iflush_buffer(handle, &request)), MPI_ERR_SESSION);
  CHECK_EQ(class_of(MPI_Session_set_errhandler(handle, MPI_ERRORS_RETURN)), MPI_ERR_SESSION);
  CHECK_EQ(class_of(MPI_Session_get_errhandler(handle, &handler)), MPI_ERR_SESSION);
  CHECK_EQ(class_of(MPI_Session_finalize(&handle)), MPI_ERR_SESSION);
  CHECK_EQ(request, MPI_REQUEST_NULL);
}

// Whatever runs, or ran, beside it.
void life_of_two() {
  Bytes memory(10000);
  void* address = nullptr;
  int size = -1;
  MPI_Session first = MPI_SESSION_NULL, second = MPI_SESSION_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ABORT, &second), MPI_SUCCESS);
  CHECK(first != second && first != MPI_SESSION_NULL && second != MPI_SESSION_NULL);
  CHECK_EQ(MPI_Session_get_errhandler(second, &handler), MPI_SUCCESS);
  CHECK_EQ(handler, MPI_ERRORS_ABORT);
  CHECK_EQ(MPI_Session_set_errhandler(second, MPI_ERRORS_RETURN), MPI_SUCCESS);
  CHECK_EQ(class_of(MPI_Session_flush_buffer(second)), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Session_attach_buffer(first, memory.data(), 10000), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_attach_buffer(second, MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_flush_buffer(second), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_finalize(&second), MPI_SUCCESS);  // with its buffer
  CHECK_EQ(second, MPI_SESSION_NULL);
  CHECK_EQ(MPI_Session_detach_buffer(first, &address, &size), MPI_SUCCESS);
  CHECK(address == memory.data());
  CHECK_EQ(size, 10000);
  CHECK_EQ(MPI_Session_finalize(&first), MPI_SUCCESS);
}

// A session alone: requests can be waited for.
void before_init() {
  MPI_Request request = MPI_REQUEST_NULL;
  int flag = -1;
  life_of_two();
  CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_attach_buffer(session, MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_iflush_buffer(session, &request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
  for (auto rounds = getpid() % 3; rounds >= 0; --rounds) life_of_two();  // not as often in every rank
  CHECK_EQ(MPI_Initialized(&flag), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
}

}  // namespace

int main(int argc, char** argv) {
  before_init();
  CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
  check::Program program(argc, argv);
  life_of_two();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  if (make_communicator()) {
    which_buffer();
    for (const bool automatic : {false, true}) flush_and_automatic(automatic);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  }
  refused();
  const MPI_Session finalized = session;
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
  CHECK_EQ(session, MPI_SESSION_NULL);
  for (const MPI_Session handle : {MPI_SESSION_NULL, finalized}) no_session(handle);
  CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
  const int result = program.finish();
  const long failed = check::failed;
  life_of_two();  // beside a session that began before
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
  life_of_two();  // with nothing that runs
  return check::failed > failed ? EXIT_FAILURE : result;
}
