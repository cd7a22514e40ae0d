// SPDX-License-Identifier: BSD-3-Clause
// Every send mode in every form, between all pairs of ranks and around the sizes where protocols change; and that a
// synchronous send does not complete before its receive has started.
#include <array>
#include <string>
#include <vector>

#include "messages.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr std::array<int, 10> sizes = {0, 1, 39, 40, 41, 8191, 8192, 8193, 65536, 1 << 20};

struct Mode {
  std::string name;
  int (*send)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
  int (*send_c)(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm);
  int (*isend)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
  int (*isend_c)(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
};

const std::array<Mode, 4> modes = {{{"standard", MPI_Send, MPI_Send_c, MPI_Isend, MPI_Isend_c},
                                    {"synchronous", MPI_Ssend, MPI_Ssend_c, MPI_Issend, MPI_Issend_c},
                                    {"ready", MPI_Rsend, MPI_Rsend_c, MPI_Irsend, MPI_Irsend_c},
                                    {"buffered", MPI_Bsend, MPI_Bsend_c, MPI_Ibsend, MPI_Ibsend_c}}};

enum class Form { blocking, blocking_large, nonblocking, nonblocking_large };
constexpr std::array<Form, 4> forms = {Form::blocking, Form::blocking_large, Form::nonblocking,
                                       Form::nonblocking_large};

// Sends in the given form; *request is left alone by the blocking ones.
int send(const Mode& mode, Form form, const Bytes& out, int dest, int tag, MPI_Request* request) {
  const int bytes = static_cast<int>(out.size());
  switch (form) {
    case Form::blocking:
      return mode.send(out.data(), bytes, MPI_BYTE, dest, tag, world);
    case Form::blocking_large:
      return mode.send_c(out.data(), bytes, MPI_BYTE, dest, tag, world);
    case Form::nonblocking:
      return mode.isend(out.data(), bytes, MPI_BYTE, dest, tag, world, request);
    case Form::nonblocking_large:
      return mode.isend_c(out.data(), bytes, MPI_BYTE, dest, tag, world, request);
  }
  return MPI_ERR_OTHER;
}

int seed(int from, int to, std::size_t nth) {
  return (from * 100 + to) * 100 + static_cast<int>(nth);
}

std::size_t room_for_all_sizes() {
  std::size_t bytes = 0;
  for (const int size : sizes) bytes += static_cast<std::size_t>(size) + MPI_BSEND_OVERHEAD;
  return bytes;
}

// Every rank sends one message of each size to the rank `shift` further on. The receives are there before any send, as
// the ready mode demands and as makes blocking sends to oneself legal.
void expected(const Mode& mode, Form form, int shift) {
  const int to = (check::rank + shift) % check::size, from = (check::rank + check::size - shift) % check::size;
  const AttachedBuffer buffer(room_for_all_sizes());
  std::vector<Bytes> in, out;
  std::array<MPI_Request, sizes.size()> receives, sends;
  std::array<MPI_Status, sizes.size()> statuses;
  sends.fill(MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    in.emplace_back(static_cast<std::size_t>(sizes[i]) + 8, 0xEE);
    out.push_back(contents(static_cast<std::size_t>(sizes[i]), seed(check::rank, to, i)));
    MPI_Irecv(in[i].data(), sizes[i] + 8, MPI_BYTE, from, static_cast<int>(i), world, &receives[i]);
  }
  MPI_Barrier(world);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK_EQ(send(mode, form, out[i], to, static_cast<int>(i), &sends[i]), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Waitall(sizes.size(), receives.data(), statuses.data()), MPI_SUCCESS);
  CHECK_EQ(MPI_Waitall(sizes.size(), sends.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    CHECK_STATUS(statuses[i], from, static_cast<int>(i), sizes[i]);
    Bytes right = contents(static_cast<std::size_t>(sizes[i]), seed(from, check::rank, i));
    right.resize(in[i].size(), 0xEE);  // nothing is written behind the message
    if (!CHECK(in[i] == right)) check::report(__FILE__, __LINE__, mode.name + ", size " + std::to_string(sizes[i]));
  }
}

// The messages are on their way before their receives are posted, which is in the opposite order.
void unexpected(const Mode& mode, Form form, int shift) {
  const int to = (check::rank + shift) % check::size, from = (check::rank + check::size - shift) % check::size;
  const AttachedBuffer buffer(room_for_all_sizes());
  std::vector<Bytes> out;
  std::array<MPI_Request, sizes.size()> sends;
  sends.fill(MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    out.push_back(contents(static_cast<std::size_t>(sizes[i]), seed(check::rank, to, i)));
    CHECK_EQ(send(mode, form, out[i], to, static_cast<int>(i), &sends[i]), MPI_SUCCESS);
  }
  MPI_Barrier(world);
  for (std::size_t i = sizes.size(); i-- > 0;) {
    Bytes in(static_cast<std::size_t>(sizes[i]), 0xEE);
    MPI_Status status = unset_status();
    CHECK_EQ(MPI_Recv_c(in.data(), sizes[i], MPI_BYTE, from, static_cast<int>(i), world, &status), MPI_SUCCESS);
    CHECK_STATUS(status, from, static_cast<int>(i), sizes[i]);
    if (!CHECK(in == contents(in.size(), seed(from, check::rank, i)))) check::report(__FILE__, __LINE__, mode.name);
  }
  CHECK_EQ(MPI_Waitall(sizes.size(), sends.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

// No synchronous send may complete before rank 1 has started to receive. Rank 1 starts only when it is told to, and it
// has seen the message before: whatever the message sets off by itself has had its chance.
void issend_waits_for_the_receive(int bytes, bool large_count) {
  const Bytes out = contents(static_cast<std::size_t>(bytes), bytes);
  Bytes in(out.size());
  int seen = 0;
  if (check::rank == 0) {
    MPI_Request request = MPI_REQUEST_NULL;
    int flag = -1;
    if (large_count) {
      MPI_Issend_c(out.data(), bytes, MPI_BYTE, 1, 1, world, &request);
    } else {
      MPI_Issend(out.data(), bytes, MPI_BYTE, 1, 1, world, &request);
    }
    MPI_Recv(&seen, 1, MPI_INT, 1, 2, world, MPI_STATUS_IGNORE);
    for (int i = 0; i < 1000; ++i) {
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      if (!CHECK_EQ(flag, 0)) break;
    }
    MPI_Send(&seen, 1, MPI_INT, 1, 3, world);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  } else if (check::rank == 1) {
    MPI_Probe(0, 1, world, MPI_STATUS_IGNORE);
    MPI_Send(&seen, 1, MPI_INT, 0, 2, world);
    MPI_Recv(&seen, 1, MPI_INT, 0, 3, world, MPI_STATUS_IGNORE);
    MPI_Recv(in.data(), bytes, MPI_BYTE, 0, 1, world, MPI_STATUS_IGNORE);
    CHECK(in == out);
  }
}

// Rank 0 sends a flag right after MPI_Ssend has returned: rank 1 must not see it before it receives the first message.
void ssend_waits_for_the_receive(int bytes, bool large_count) {
  const Bytes out = contents(static_cast<std::size_t>(bytes), bytes + 1);
  Bytes in(out.size());
  int value = bytes, found = -1;
  if (check::rank == 0) {
    if (large_count) {
      MPI_Ssend_c(out.data(), bytes, MPI_BYTE, 1, 1, world);
    } else {
      MPI_Ssend(out.data(), bytes, MPI_BYTE, 1, 1, world);
    }
    MPI_Send(&value, 1, MPI_INT, 1, 2, world);
  } else if (check::rank == 1) {
    MPI_Probe(0, 1, world, MPI_STATUS_IGNORE);
    for (int i = 0; i < 1000; ++i) {
      MPI_Iprobe(0, 2, world, &found, MPI_STATUS_IGNORE);
      if (!CHECK_EQ(found, 0)) break;
    }
    MPI_Recv(in.data(), bytes, MPI_BYTE, 0, 1, world, MPI_STATUS_IGNORE);
    CHECK(in == out);
    MPI_Recv(&value, 1, MPI_INT, 0, 2, world, MPI_STATUS_IGNORE);
    CHECK_EQ(value, bytes);
  }
}

// The same towards oneself: the receive is posted by the same thread, so the order is known.
void issend_to_self_waits_for_the_receive(int bytes) {
  const Bytes out = contents(static_cast<std::size_t>(bytes), bytes + 2);
  Bytes in(out.size());
  MPI_Request request;
  int flag = -1;
  MPI_Issend(out.data(), bytes, MPI_BYTE, check::rank, 4, world, &request);
  for (int i = 0; i < 100; ++i) {
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    if (!CHECK_EQ(flag, 0)) break;
  }
  MPI_Recv(in.data(), bytes, MPI_BYTE, check::rank, 4, world, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(in == out);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  for (int shift = 0; shift < check::size; ++shift) {
    for (const Mode& mode : modes) {
      for (const Form form : forms) {
        expected(mode, form, shift);
        const bool nonblocking = form == Form::nonblocking || form == Form::nonblocking_large;
        if (mode.name == "buffered" || (nonblocking && mode.name != "ready")) unexpected(mode, form, shift);
      }
    }
  }
  for (const int bytes : sizes) {
    issend_to_self_waits_for_the_receive(bytes);
    for (const bool large_count : {false, true}) {
      if (check::size > 1) ssend_waits_for_the_receive(bytes, large_count);
      if (check::size > 1) issend_waits_for_the_receive(bytes, large_count);
    }
  }
  return program.finish();
}
