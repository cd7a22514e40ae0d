// SPDX-License-Identifier: BSD-3-Clause
// The process's buffer for buffered sends: how much fits, what happens when it does not, that space is used again, that
// detaching and flushing wait, and what is refused.
#include <array>
#include <vector>

#include "messages.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int long_message = 400000;  // more than any transport takes without a receive

int peer() {
  const int pair = check::rank ^ 1;
  return pair < check::size ? pair : check::rank;
}

int bsend(const Bytes& out, int tag) {
  return MPI_Bsend(out.data(), static_cast<int>(out.size()), MPI_BYTE, peer(), tag, world);
}

void receive(int bytes, int tag, const Bytes& expected) {
  Bytes in(static_cast<std::size_t>(bytes), 0xEE);
  MPI_Status status;
  CHECK_EQ(MPI_Recv(in.data(), bytes, MPI_BYTE, peer(), tag, world, &status), MPI_SUCCESS);
  CHECK_STATUS(status, peer(), tag, bytes);
  CHECK(in == expected);
}

// Nothing is on its way to this rank but what the caller knows of.
void nothing_arrives(int tag) {
  int found = -1;
  MPI_Iprobe(MPI_ANY_SOURCE, tag, world, &found, MPI_STATUS_IGNORE);
  CHECK_EQ(found, 0);
}

// Several messages in a buffer that has exactly the room the standard asks the user for. All are sent before any is
// received, and the user's memory is overwritten at once.
void exact_fit(bool nonblocking) {
  const std::array<int, 9> sizes = {0, 1, 7, 39, 41, 4097, 0, 65537, long_message + 3};
  std::size_t room = 0;
  for (const int size : sizes) room += static_cast<std::size_t>(size) + MPI_BSEND_OVERHEAD;
  const AttachedBuffer buffer(room);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    Bytes out = contents(static_cast<std::size_t>(sizes[i]), check::rank);
    if (nonblocking) {
      MPI_Request request;
      CHECK_EQ(MPI_Ibsend(out.data(), sizes[i], MPI_BYTE, peer(), static_cast<int>(i), world, &request), MPI_SUCCESS);
      CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);  // local: no receive is there
    } else {
      CHECK_EQ(bsend(out, static_cast<int>(i)), MPI_SUCCESS);
    }
    out.assign(out.size(), 0xDD);
  }
  MPI_Barrier(world);
  for (std::size_t i = sizes.size(); i-- > 0;) {
    receive(sizes[i], static_cast<int>(i), contents(static_cast<std::size_t>(sizes[i]), peer()));
  }
}

// No room: MPI_ERR_BUFFER, no message, and sends that fit still work, of this and of other modes.
void too_small() {
  const Bytes large = contents(long_message, check::rank), small = contents(100, check::rank);
  CHECK_EQ(class_of(bsend(large, 1)), MPI_ERR_BUFFER);  // no buffer at all
  {
    const AttachedBuffer buffer(1000 + MPI_BSEND_OVERHEAD);
    CHECK_EQ(class_of(bsend(large, 1)), MPI_ERR_BUFFER);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_EQ(class_of(MPI_Ibsend(large.data(), long_message, MPI_BYTE, peer(), 1, world, &request)), MPI_ERR_BUFFER);
    CHECK_EQ(bsend(small, 2), MPI_SUCCESS);
    MPI_Isend(large.data(), long_message, MPI_BYTE, peer(), 3, world, &request);
    receive(100, 2, contents(100, peer()));
    receive(long_message, 3, contents(long_message, peer()));
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  MPI_Barrier(world);
  nothing_arrives(1);
  MPI_Barrier(world);
}

// A buffer that is full of what nobody has received takes nothing more; once that is received it takes the next.
void full() {
  const Bytes out = contents(long_message, check::rank), expected = contents(long_message, peer());
  const AttachedBuffer buffer(long_message + MPI_BSEND_OVERHEAD);
  CHECK_EQ(bsend(out, 1), MPI_SUCCESS);
  CHECK_EQ(class_of(bsend(out, 2)), MPI_ERR_BUFFER);
  MPI_Barrier(world);
  receive(long_message, 1, expected);
  MPI_Barrier(world);
  // Both have received; that this process's send is over is known after a flush.
  CHECK_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
  CHECK_EQ(bsend(out, 3), MPI_SUCCESS);
  receive(long_message, 3, expected);
  nothing_arrives(2);
  MPI_Barrier(world);  // before anyone uses that tag again
}

// Hundreds of messages through a buffer for two, without detaching it in between: the peer's answer, sent after it has
// received, says that there is room again.
void space_is_used_again(int bytes) {
  const AttachedBuffer buffer(2 * (static_cast<std::size_t>(bytes) + MPI_BSEND_OVERHEAD));
  for (int round = 0; round < 200; ++round) {
    const Bytes out = contents(static_cast<std::size_t>(bytes), check::rank + round);
    for (const int tag : {1, 2}) CHECK_EQ(bsend(out, tag), MPI_SUCCESS);
    for (const int tag : {1, 2}) receive(bytes, tag, contents(out.size(), peer() + round));
    CHECK_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
  }
}

// MPI_Buffer_detach and MPI_Buffer_flush return only when everything has been taken: rank 0 sends a flag afterwards,
// which rank 1 must not see before it has received the long message.
void detach_and_flush_wait(bool flush) {
  if (check::size < 2 || check::rank > 1) return;
  const Bytes out = contents(long_message, 77);
  Bytes memory(long_message + MPI_BSEND_OVERHEAD);
  int value = 5, size = -1, found = -1;
  void* address = nullptr;
  if (check::rank == 0) {
    MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
    CHECK_EQ(bsend(out, 1), MPI_SUCCESS);
    if (flush) CHECK_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
    if (flush) MPI_Send(&value, 1, MPI_INT, 1, 2, world);
    CHECK_EQ(MPI_Buffer_detach(&address, &size), MPI_SUCCESS);
    CHECK(address == memory.data());
    CHECK_EQ(size, static_cast<int>(memory.size()));
    memory.assign(memory.size(), 0xDD);
    if (!flush) MPI_Send(&value, 1, MPI_INT, 1, 2, world);
    return;
  }
  MPI_Probe(0, 1, world, MPI_STATUS_IGNORE);
  for (int i = 0; i < 1000; ++i) {
    MPI_Iprobe(0, 2, world, &found, MPI_STATUS_IGNORE);
    if (!CHECK_EQ(found, 0)) break;
  }
  receive(long_message, 1, out);
  MPI_Recv(&value, 1, MPI_INT, 0, 2, world, MPI_STATUS_IGNORE);
}

// The non-blocking flush is a request that completes when the receive has been.
void iflush() {
  const Bytes out = contents(long_message, check::rank);
  const AttachedBuffer buffer(long_message + MPI_BSEND_OVERHEAD);
  MPI_Request request = MPI_REQUEST_NULL;
  int flag = -1;
  CHECK_EQ(MPI_Buffer_iflush(&request), MPI_SUCCESS);  // there is nothing to wait for
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(bsend(out, 1), MPI_SUCCESS);
  CHECK_EQ(MPI_Buffer_iflush(&request), MPI_SUCCESS);
  for (int i = 0; i < 100; ++i) {
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (!CHECK_EQ(flag, 0)) break;
  }
  MPI_Barrier(world);
  receive(long_message, 1, contents(long_message, peer()));
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK_EQ(bsend(out, 2), MPI_SUCCESS);  // the whole room is there again
  receive(long_message, 2, contents(long_message, peer()));
}

void refused() {
  Bytes memory(10000), other(10000);
  void* address = nullptr;
  int size = -1;
  MPI_Count large_size = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(class_of(MPI_Buffer_detach(&address, &size)), MPI_ERR_BUFFER);  // nothing is attached
  CHECK_EQ(class_of(MPI_Buffer_flush()), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Buffer_iflush(&request)), MPI_ERR_BUFFER);
  CHECK(MPI_Buffer_attach(memory.data(), -1) != MPI_SUCCESS);
  CHECK_EQ(MPI_Buffer_attach_c(memory.data(), 10000), MPI_SUCCESS);
  CHECK_EQ(class_of(MPI_Buffer_attach(other.data(), 10000)), MPI_ERR_BUFFER);  // one at a time
  CHECK_EQ(class_of(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0)), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Buffer_detach_c(&address, &large_size), MPI_SUCCESS);
  CHECK(address == memory.data());
  CHECK_EQ(large_size, 10000);
  CHECK_EQ(class_of(MPI_Buffer_detach(&address, &size)), MPI_ERR_BUFFER);
  int value = 3;  // to MPI_PROC_NULL nothing needs room
  CHECK_EQ(MPI_Bsend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (const bool nonblocking : {false, true}) exact_fit(nonblocking);
  too_small();
  full();
  for (const int bytes : {0, 1, 40, 5000, 100000}) space_is_used_again(bytes);
  for (const bool flush : {false, true}) detach_and_flush_wait(flush);
  MPI_Barrier(world);
  iflush();
  refused();
  return program.finish();
}
