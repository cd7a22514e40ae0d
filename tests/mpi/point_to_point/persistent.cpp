// SPDX-License-Identifier: BSD-3-Clause
// Persistent sends of all modes and persistent receives: many rounds over the same handles, every way to complete them,
// and lists in which they are mixed with others.
#include <algorithm>
#include <array>
#include <vector>

#include "messages.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr std::array<int, 5> sizes = {0, 40, 41, 8193, 300000};

using Init = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
using InitLarge = int (*)(const void*, MPI_Count, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);

struct Mode {
  Init init;
  InitLarge init_c;
};

const std::array<Mode, 4> modes = {{{MPI_Send_init, MPI_Send_init_c},
                                    {MPI_Ssend_init, MPI_Ssend_init_c},
                                    {MPI_Rsend_init, MPI_Rsend_init_c},
                                    {MPI_Bsend_init, MPI_Bsend_init_c}}};

int next_rank() {
  return (check::rank + 1) % check::size;
}

int previous_rank() {
  return (check::rank + check::size - 1) % check::size;
}

// Completes requests[0], a receive, and requests[1], a send, in a way that the round chooses.
MPI_Status complete(std::array<MPI_Request, 2>& requests, int round) {
  std::array<MPI_Status, 2> statuses = {unset_status(), unset_status()};
  MPI_Status status;
  std::array<int, 2> indices;
  int index = -1, flag = 0, count = 0;
  switch (round % 7) {
    case 0:
      CHECK_EQ(MPI_Waitall(2, requests.data(), statuses.data()), MPI_SUCCESS);
      break;
    case 1:
      for (int i = 0; i < 2; ++i) {
        CHECK_EQ(MPI_Waitany(2, requests.data(), &index, &status), MPI_SUCCESS);
        if (CHECK(index == 0 || index == 1)) statuses[static_cast<std::size_t>(index)] = status;
      }
      break;
    case 2:
      for (int done = 0; done < 2; done += count) {
        MPI_Waitsome(2, requests.data(), &count, indices.data(), statuses.data());
        if (!CHECK(count == 1 || count == 2)) return status;
        if (count == 1 && indices[0] == 0) status = statuses[0];
        if (count == 2) status = statuses[indices[0] == 0 ? 0 : 1];
      }
      return status;
    case 3:
      while (!flag) MPI_Testall(2, requests.data(), &flag, statuses.data());
      break;
    case 4:
      for (int done = 0; done < 2; done += flag) {
        MPI_Testany(2, requests.data(), &index, &flag, &status);
        if (flag && CHECK(index == 0 || index == 1)) statuses[static_cast<std::size_t>(index)] = status;
      }
      break;
    case 5:
      for (const std::size_t i : {1, 0}) {
        flag = 0;
        while (!flag) MPI_Test(&requests[i], &flag, &statuses[i]);
      }
      break;
    default:
      CHECK_EQ(MPI_Wait(&requests[0], &statuses[0]), MPI_SUCCESS);
      CHECK_EQ(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  return statuses[0];
}

// The same two handles, again and again, around a ring; the contents change with the round.
void rounds(const Mode& mode, int bytes, bool large_count) {
  constexpr int many = 28;
  const AttachedBuffer buffer(many * (static_cast<std::size_t>(bytes) + MPI_BSEND_OVERHEAD));
  Bytes out(static_cast<std::size_t>(bytes)), in(out.size());
  std::array<MPI_Request, 2> requests;
  if (large_count) {
    CHECK_EQ(MPI_Recv_init_c(in.data(), bytes, MPI_BYTE, previous_rank(), 6, world, &requests[0]), MPI_SUCCESS);
    CHECK_EQ(mode.init_c(out.data(), bytes, MPI_BYTE, next_rank(), 6, world, &requests[1]), MPI_SUCCESS);
  } else {
    CHECK_EQ(MPI_Recv_init(in.data(), bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[0]), MPI_SUCCESS);
    CHECK_EQ(mode.init(out.data(), bytes, MPI_BYTE, next_rank(), 6, world, &requests[1]), MPI_SUCCESS);
  }
  const std::array<MPI_Request, 2> handles = requests;
  for (int round = 0; round < many; ++round) {
    std::ranges::copy(contents(out.size(), check::rank * many + round), out.begin());
    in.assign(in.size(), 0xEE);
    if (mode.init == MPI_Rsend_init || round % 2) {
      CHECK_EQ(MPI_Start(&requests[0]), MPI_SUCCESS);
      MPI_Barrier(world);  // the receive is there: the ready mode may start
      CHECK_EQ(MPI_Start(&requests[1]), MPI_SUCCESS);
    } else {
      CHECK_EQ(MPI_Startall(2, requests.data()), MPI_SUCCESS);
    }
    const MPI_Status status = complete(requests, round);
    CHECK(requests == handles);
    CHECK_STATUS(status, previous_rank(), 6, bytes);
    if (!CHECK(in == contents(in.size(), previous_rank() * many + round))) break;
    MPI_Barrier(world);  // nobody's wildcard takes the message of the next round
  }
  for (MPI_Request& request : requests) CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

// One list of persistent receives, ordinary receives, null requests and inactive ones. The persistent handles stay.
void mixed() {
  constexpr int n = 40;
  std::array<int, n> in, out;
  std::array<MPI_Request, n> requests, sends;
  std::array<MPI_Status, n> statuses;
  const auto kind = [](std::size_t i) { return i % 4; };  // 0 persistent, 1 ordinary, 2 inactive, 3 null
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out[at] = check::rank * n + i;
    requests[at] = MPI_REQUEST_NULL;
    if (kind(at) == 1) continue;
    if (kind(at) != 3) MPI_Recv_init(&in[at], 1, MPI_INT, previous_rank(), i, world, &requests[at]);
  }
  for (int round = 0; round < 3; ++round) {
    in.fill(-1);
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (kind(at) == 0) MPI_Start(&requests[at]);
      if (kind(at) == 1) MPI_Irecv(&in[at], 1, MPI_INT, previous_rank(), i, world, &requests[at]);
    }
    const std::array<MPI_Request, n> before = requests;
    sends.fill(MPI_REQUEST_NULL);
    for (int i = n - 1; i >= 0; --i) {
      const auto at = static_cast<std::size_t>(i);
      if (kind(at) < 2) MPI_Isend(&out[at], 1, MPI_INT, next_rank(), i, world, &sends[at]);
    }
    CHECK_EQ(MPI_Waitall(n, requests.data(), statuses.data()), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(n, sends.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      CHECK(requests[at] == (kind(at) == 1 ? MPI_REQUEST_NULL : before[at]));
      if (kind(at) >= 2) {
        CHECK_EMPTY(statuses[at]);
        continue;
      }
      CHECK_STATUS(statuses[at], previous_rank(), i, static_cast<int>(sizeof(int)));
      CHECK_EQ(in[at], previous_rank() * n + i);
    }
  }
  for (MPI_Request& request : requests) {
    if (request != MPI_REQUEST_NULL) CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  }
}

// MPI_Startall starts in order: messages of one list that match the same receives do not overtake one another.
void order_of_startall() {
  constexpr int n = 64;
  std::array<int, n> out, in;
  std::array<MPI_Request, 2 * n> requests;
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    out[at] = check::rank * n + i;
    MPI_Recv_init(&in[at], 1, MPI_INT, previous_rank(), i % 2 ? MPI_ANY_TAG : 8, world, &requests[at]);
    const Mode& mode = modes[static_cast<std::size_t>(i % 2)];  // standard and synchronous
    mode.init(&out[at], 1, MPI_INT, next_rank(), 8, world, &requests[at + n]);
  }
  for (int round = 0; round < 5; ++round) {
    in.fill(-1);
    CHECK_EQ(MPI_Startall(2 * n, requests.data()), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2 * n, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < n; ++i) CHECK_EQ(in[static_cast<std::size_t>(i)], previous_rank() * n + i);
  }
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  CHECK_EQ(MPI_Startall(0, requests.data()), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  for (const Mode& mode : modes) {
    for (const int bytes : sizes) {
      for (const bool large_count : {false, true}) rounds(mode, bytes, large_count);
    }
  }
  mixed();
  order_of_startall();
  return program.finish();
}
