// SPDX-License-Identifier: BSD-3-Clause
// Threads with collective operations under way at the same time, each on a communicator of its own: non-blocking and
// persistent ones, which any thread's progress may carry on, with operators and datatypes of the user.
#include <array>
#include <vector>

#include "comm_per_thread.hpp"

namespace {

constexpr int length = 3000;
using comm_per_thread::expect;

void add_pairs(void* in, void* inout, int* count, MPI_Datatype*) {
  for (int i = 0; i < 2 * *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

void work(MPI_Comm comm, int number) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  MPI_Op op;
  MPI_Datatype pair;
  MPI_Op_create(add_pairs, 1, &op);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  std::vector<int> given(2 * length), sum(2 * length), all(static_cast<std::size_t>(size)), news(length);
  int round = 0;
  MPI_Request persistent;
  expect(MPI_Allgather_init(&round, 1, MPI_INT, all.data(), 1, MPI_INT, comm, MPI_INFO_NULL, &persistent) ==
         MPI_SUCCESS);
  for (; round < 100; ++round) {
    given.assign(given.size(), rank + number + round);
    news.assign(news.size(), rank == round % size ? number * 1000 + round : -1);
    std::array<MPI_Request, 3> requests;
    MPI_Iallreduce(given.data(), sum.data(), length, pair, op, comm, &requests[0]);
    MPI_Ibcast(news.data(), length, MPI_INT, round % size, comm, &requests[1]);
    MPI_Ibarrier(comm, &requests[2]);
    MPI_Start(&persistent);
    expect(MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE) == MPI_SUCCESS);
    expect(MPI_Wait(&persistent, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    expect(sum.front() == size * (size - 1) / 2 + size * (number + round) && sum.back() == sum.front());
    expect(news.back() == number * 1000 + round);
    expect(all.front() == round && all.back() == round);
  }
  expect(MPI_Request_free(&persistent) == MPI_SUCCESS);
  MPI_Type_free(&pair);
  MPI_Op_free(&op);
}

}  // namespace

int main(int argc, char** argv) {
  return comm_per_thread::run<4>(argc, argv, work);
}
