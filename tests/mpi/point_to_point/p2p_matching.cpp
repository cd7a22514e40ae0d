// SPDX-License-Identifier: BSD-3-Clause
// Which message meets which receive: wildcards, order, probes, MPI_PROC_NULL, self, and what the status says about it.
#include <array>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
const std::vector<int> sizes = {1, 2, 100, 20000, 500000};  // ints: from one slot to a large message

int count_of(const MPI_Status& status, MPI_Datatype type = MPI_INT) {
  int count = -1;
  MPI_Get_count(&status, type, &count);
  return count;
}

// Every rank but 0 sends one message of each size; rank 0 takes what comes and keeps the books.
void any_source_any_tag() {
  if (check::rank != 0) {
    for (const int size : sizes) {
      const std::vector<int> out(static_cast<std::size_t>(size), check::rank);
      MPI_Send(out.data(), size, MPI_INT, 0, size % 1000 + check::rank, world);
    }
    return;
  }
  std::vector<std::size_t> next(static_cast<std::size_t>(check::size), 0);  // per sender: which of its messages is next
  std::vector<int> in(500000);
  for (std::size_t i = 0; i < sizes.size() * static_cast<std::size_t>(check::size - 1); ++i) {
    MPI_Status status;
    CHECK_EQ(MPI_Recv(in.data(), 500000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &status), MPI_SUCCESS);
    const int source = status.MPI_SOURCE;
    if (!CHECK(source > 0 && source < check::size)) return;
    const std::size_t nth = next[static_cast<std::size_t>(source)]++;
    if (!CHECK(nth < sizes.size())) return;
    CHECK_EQ(count_of(status), sizes[nth]);
    CHECK_EQ(status.MPI_TAG, sizes[nth] % 1000 + source);
    CHECK_EQ(in[0], source);
    CHECK_EQ(in[static_cast<std::size_t>(sizes[nth]) - 1], source);
  }
}

// Messages that match the same receive do not overtake one another, small and large mixed, expected and unexpected.
void order(bool receives_first) {
  constexpr int messages = 200;
  const auto length = [](int i) { return i % 7 == 3 ? 30000 : 1 + i % 50; };
  std::vector<std::vector<int>> buffers(messages, std::vector<int>(30000, -1));
  std::vector<MPI_Request> requests(messages, MPI_REQUEST_NULL);
  if (check::rank == 1) {
    if (!receives_first) MPI_Barrier(world);
    for (std::size_t i = 0; i < messages; ++i) {
      const int tag = i % 2 ? MPI_ANY_TAG : 9, source = i % 3 ? MPI_ANY_SOURCE : 0;
      MPI_Irecv(buffers[i].data(), 30000, MPI_INT, source, tag, world, &requests[i]);
    }
    if (receives_first) MPI_Barrier(world);
    std::vector<MPI_Status> statuses(messages);
    MPI_Waitall(messages, requests.data(), statuses.data());
    for (int i = 0; i < messages; ++i) {
      const auto index = static_cast<std::size_t>(i);
      CHECK_EQ(buffers[index][0], i);
      CHECK_EQ(count_of(statuses[index]), length(i));
      CHECK_EQ(statuses[index].MPI_TAG, 9);
    }
    return;
  }
  if (receives_first) MPI_Barrier(world);
  for (int i = 0; check::rank == 0 && i < messages; ++i) {
    const auto index = static_cast<std::size_t>(i);
    buffers[index][0] = i;
    MPI_Isend(buffers[index].data(), length(i), MPI_INT, 1, 9, world, &requests[index]);
  }
  if (!receives_first) MPI_Barrier(world);
  MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
}

// A receive takes the message with its tag, however many others came before.
void tags_pick_their_message() {
  constexpr int messages = 50;
  if (check::rank == 0) {
    for (int tag = 0; tag < messages; ++tag) MPI_Send(&tag, 1, MPI_INT, 1, tag, world);
  } else if (check::rank == 1) {
    for (int tag = messages - 1; tag >= 0; --tag) {
      int in = -1;
      MPI_Status status;
      MPI_Recv(&in, 1, MPI_INT, 0, tag, world, &status);
      CHECK_EQ(in, tag);
      CHECK_EQ(status.MPI_TAG, tag);
    }
  }
}

void probe(bool blocking) {
  for (const int size : sizes) {
    if (check::rank == 0) {
      const std::vector<int> out(static_cast<std::size_t>(size), size);
      MPI_Send(out.data(), size, MPI_INT, 1, 77, world);
    } else if (check::rank == 1) {
      MPI_Status probed, status;
      if (blocking) {
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &probed);
      } else {
        for (int found = 0; !found;) MPI_Iprobe(0, 77, world, &found, &probed);
      }
      CHECK_EQ(probed.MPI_SOURCE, 0);
      CHECK_EQ(probed.MPI_TAG, 77);
      CHECK_EQ(count_of(probed), size);
      // Nothing else is there: a probe for another tag finds nothing, and the message itself is still waiting.
      int found = 1;
      MPI_Iprobe(0, 78, world, &found, MPI_STATUS_IGNORE);
      CHECK_EQ(found, 0);
      std::vector<int> in(static_cast<std::size_t>(count_of(probed)), -1);
      MPI_Recv(in.data(), size, MPI_INT, probed.MPI_SOURCE, probed.MPI_TAG, world, &status);
      CHECK_EQ(count_of(status), size);
      CHECK(in == std::vector<int>(static_cast<std::size_t>(size), size));
    }
  }
  MPI_Barrier(world);
  int found = 1;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &found, MPI_STATUS_IGNORE);
  CHECK_EQ(found, 0);
  MPI_Barrier(world);
}

void check_proc_null(const MPI_Status& status) {
  CHECK_EQ(status.MPI_SOURCE, MPI_PROC_NULL);
  CHECK_EQ(status.MPI_TAG, MPI_ANY_TAG);
  CHECK_EQ(count_of(status), 0);
}

void proc_null() {
  int value = 42;
  MPI_Status status;
  MPI_Request request;
  CHECK_EQ(MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world), MPI_SUCCESS);
  CHECK_EQ(MPI_Isend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world, &request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, world, &status), MPI_SUCCESS);
  check_proc_null(status);
  CHECK_EQ(MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, world, &request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  check_proc_null(status);
  CHECK_EQ(MPI_Probe(MPI_PROC_NULL, 3, world, &status), MPI_SUCCESS);
  check_proc_null(status);
  int found = 0;
  CHECK_EQ(MPI_Iprobe(MPI_PROC_NULL, 3, world, &found, &status), MPI_SUCCESS);
  CHECK_EQ(found, 1);
  check_proc_null(status);
  CHECK_EQ(MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, &value, 1, MPI_INT, MPI_PROC_NULL, 0, world, &status),
           MPI_SUCCESS);
  check_proc_null(status);
  CHECK_EQ(value, 42);
}

// A rank writes to itself, over the world and over MPI_COMM_SELF; the two do not see each other's messages.
void self() {
  for (const int size : sizes) {
    std::vector<int> by_world(static_cast<std::size_t>(size), -1), by_self = by_world;
    const std::vector<int> one(static_cast<std::size_t>(size), 1), two(static_cast<std::size_t>(size), 2);
    std::array<MPI_Request, 4> requests;
    MPI_Isend(one.data(), size, MPI_INT, check::rank, 4, world, &requests[0]);
    MPI_Isend(two.data(), size, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[1]);
    MPI_Irecv(by_self.data(), size, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &requests[2]);
    MPI_Irecv(by_world.data(), size, MPI_INT, MPI_ANY_SOURCE, 4, world, &requests[3]);
    std::array<MPI_Status, 4> statuses;
    CHECK_EQ(MPI_Waitall(4, requests.data(), statuses.data()), MPI_SUCCESS);
    CHECK_EQ(statuses[2].MPI_SOURCE, 0);
    CHECK_EQ(statuses[3].MPI_SOURCE, check::rank);
    CHECK(by_world == one);
    CHECK(by_self == two);
  }
}

// MPI_Get_count of a message that is no whole number of the asked type.
void count_of_a_broken_number() {
  std::array<char, 7> out{}, in{};
  MPI_Status status;
  MPI_Sendrecv(out.data(), 7, MPI_CHAR, check::rank, 1, in.data(), 7, MPI_CHAR, check::rank, 1, world, &status);
  CHECK_EQ(count_of(status, MPI_CHAR), 7);
  CHECK_EQ(count_of(status, MPI_INT), MPI_UNDEFINED);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  proc_null();
  self();
  count_of_a_broken_number();
  MPI_Barrier(world);  // no message to any source of the next part meets a receive of this one
  any_source_any_tag();
  MPI_Barrier(world);
  if (check::size > 1) {
    order(true);
    order(false);
    tags_pick_their_message();
    MPI_Barrier(world);
    probe(true);
    probe(false);
  }
  return program.finish();
}
