// SPDX-License-Identifier: BSD-3-Clause
// Buffers of a communicator and of the process: which one a buffered send takes, and automatic ones.
#include <array>

#include "messages.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;        // has a buffer of its own where the tests give it one
const MPI_Comm self = MPI_COMM_SELF;          // has none, ever
constexpr std::size_t long_message = 400000;  // more than any transport takes without a receive
constexpr std::size_t room = long_message + MPI_BSEND_OVERHEAD;

// The world's rank of whom this rank writes to and hears from in that communicator.
int peer(MPI_Comm comm) {
  const int pair = check::rank ^ 1;
  return comm == world && pair < check::size ? pair : check::rank;
}

int rank_of_peer(MPI_Comm comm) {
  return comm == world ? peer(comm) : 0;
}

int bsend(MPI_Comm comm, int tag) {
  const Bytes out = contents(long_message, check::rank + tag);
  return MPI_Bsend(out.data(), static_cast<int>(out.size()), MPI_BYTE, rank_of_peer(comm), tag, comm);
}

void receive(MPI_Comm comm, int tag) {
  Bytes in(long_message);
  MPI_Status status;
  CHECK_EQ(MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_BYTE, rank_of_peer(comm), tag, comm, &status),
           MPI_SUCCESS);
  CHECK_STATUS(status, rank_of_peer(comm), tag, static_cast<int>(long_message));
  CHECK(in == contents(long_message, peer(comm) + tag));
}

// The communicator's buffer alone serves its messages: neither does it lend room to others nor does it borrow any.
void communicator_comes_first() {
  Bytes of_comm(room), of_process(room);
  void* address = nullptr;
  int size = -1;
  CHECK_EQ(class_of(bsend(world, 1)), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Comm_attach_buffer(world, of_comm.data(), static_cast<int>(room)), MPI_SUCCESS);
  CHECK_EQ(class_of(bsend(self, 1)), MPI_ERR_BUFFER);  // the process has none
  CHECK_EQ(MPI_Buffer_attach(of_process.data(), static_cast<int>(room)), MPI_SUCCESS);
  CHECK_EQ(bsend(world, 2), MPI_SUCCESS);
  CHECK_EQ(class_of(bsend(world, 3)), MPI_ERR_BUFFER);  // full, whatever room the process has
  CHECK_EQ(bsend(self, 4), MPI_SUCCESS);                // and it has
  CHECK_EQ(class_of(bsend(self, 5)), MPI_ERR_BUFFER);
  MPI_Barrier(world);  // until here nobody receives, so that full means full
  receive(self, 4);
  receive(world, 2);
  CHECK_EQ(MPI_Comm_detach_buffer(world, &address, &size), MPI_SUCCESS);
  CHECK(address == of_comm.data());
  CHECK_EQ(size, static_cast<int>(room));
  CHECK_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
  CHECK_EQ(bsend(world, 6), MPI_SUCCESS);  // now the process's buffer serves both
  CHECK_EQ(class_of(bsend(self, 7)), MPI_ERR_BUFFER);
  MPI_Barrier(world);
  receive(world, 6);
  CHECK_EQ(MPI_Buffer_detach(&address, &size), MPI_SUCCESS);
  CHECK(address == of_process.data());
  CHECK_EQ(size, static_cast<int>(room));
  MPI_Barrier(world);
  for (const MPI_Comm comm : {world, self}) {
    int found = -1;  // what was refused was not sent
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
    CHECK_EQ(found, 0);
  }
  MPI_Barrier(world);
}

// Many messages wait in the communicator's buffer; flushing waits for them and leaves the buffer where it is.
void flush(bool nonblocking) {
  constexpr int messages = 4;
  Bytes memory(messages * room);
  void* address = nullptr;
  MPI_Count size = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  int flag = -1;
  CHECK_EQ(MPI_Comm_attach_buffer_c(world, memory.data(), messages * room), MPI_SUCCESS);
  for (int round = 0; round < 3; ++round) {
    for (int tag = 0; tag < messages; ++tag) CHECK_EQ(bsend(world, tag), MPI_SUCCESS);
    if (nonblocking) {
      CHECK_EQ(MPI_Comm_iflush_buffer(world, &request), MPI_SUCCESS);
      for (int i = 0; i < 100; ++i) {
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
        if (!CHECK_EQ(flag, 0)) break;
      }
    }
    MPI_Barrier(world);
    for (int tag = 0; tag < messages; ++tag) receive(world, tag);
    CHECK_EQ(nonblocking ? MPI_Wait(&request, MPI_STATUS_IGNORE) : MPI_Comm_flush_buffer(world), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Comm_detach_buffer_c(world, &address, &size), MPI_SUCCESS);
  CHECK(address == memory.data());
  CHECK_EQ(size, static_cast<MPI_Count>(memory.size()));
}

// MPI_BUFFER_AUTOMATIC: whatever is sent finds room, at its level only.
void automatic(bool of_comm) {
  constexpr int messages = 20;
  void* address = nullptr;
  int size = -1;
  CHECK_EQ(
      of_comm ? MPI_Comm_attach_buffer(world, MPI_BUFFER_AUTOMATIC, 0) : MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0),
      MPI_SUCCESS);
  for (int tag = 0; tag < messages; ++tag) CHECK_EQ(bsend(world, tag), MPI_SUCCESS);
  if (of_comm) {
    CHECK_EQ(class_of(bsend(self, 0)), MPI_ERR_BUFFER);
  } else {
    CHECK_EQ(bsend(self, 0), MPI_SUCCESS);
    receive(self, 0);
  }
  for (int tag = messages - 1; tag >= 0; --tag) receive(world, tag);
  CHECK_EQ(of_comm ? MPI_Comm_flush_buffer(world) : MPI_Buffer_flush(), MPI_SUCCESS);
  CHECK_EQ(bsend(world, 1), MPI_SUCCESS);
  receive(world, 1);
  CHECK_EQ(of_comm ? MPI_Comm_detach_buffer(world, &address, &size) : MPI_Buffer_detach(&address, &size), MPI_SUCCESS);
  CHECK(address == MPI_BUFFER_AUTOMATIC);
  CHECK_EQ(class_of(bsend(world, 1)), MPI_ERR_BUFFER);
}

// Detaching waits: rank 0 sends a flag afterwards, which rank 1 must not see before it has received.
void detach_waits(bool is_automatic) {
  if (check::size < 2 || check::rank > 1) return;
  Bytes memory(room);
  void* address = nullptr;
  int size = -1, value = 5, found = -1;
  if (check::rank == 0) {
    MPI_Comm_attach_buffer(world, is_automatic ? MPI_BUFFER_AUTOMATIC : memory.data(), static_cast<int>(room));
    CHECK_EQ(bsend(world, 1), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_detach_buffer(world, &address, &size), MPI_SUCCESS);
    memory.assign(memory.size(), 0xDD);
    MPI_Send(&value, 1, MPI_INT, 1, 2, world);
    return;
  }
  MPI_Probe(0, 1, world, MPI_STATUS_IGNORE);
  for (int i = 0; i < 1000; ++i) {
    MPI_Iprobe(0, 2, world, &found, MPI_STATUS_IGNORE);
    if (!CHECK_EQ(found, 0)) break;
  }
  receive(world, 1);
  MPI_Recv(&value, 1, MPI_INT, 0, 2, world, MPI_STATUS_IGNORE);
}

void refused() {
  Bytes memory(10000), second(10000);
  void* address = nullptr;
  int size = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(class_of(MPI_Comm_detach_buffer(world, &address, &size)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Comm_flush_buffer(world)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Comm_iflush_buffer(world, &request)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Comm_attach_buffer(MPI_COMM_NULL, memory.data(), 10000)), MPI_ERR_COMM);
  for (void* const first : {static_cast<void*>(memory.data()), MPI_BUFFER_AUTOMATIC}) {
    CHECK_EQ(MPI_Comm_attach_buffer(world, first, 10000), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Comm_attach_buffer(world, second.data(), 10000)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Comm_attach_buffer(world, MPI_BUFFER_AUTOMATIC, 0)), MPI_ERR_BUFFER);
    CHECK_EQ(class_of(MPI_Buffer_flush()), MPI_ERR_BUFFER);  // the process still has none
    CHECK_EQ(MPI_Comm_detach_buffer(world, &address, &size), MPI_SUCCESS);
    CHECK(address == first);
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(self, MPI_ERRORS_RETURN);
  communicator_comes_first();
  for (const bool yes : {false, true}) {
    flush(yes);
    automatic(yes);
    MPI_Barrier(world);
    detach_waits(yes);
  }
  refused();
  return program.finish();
}
