// SPDX-License-Identifier: BSD-3-Clause
// Many collective operations at once: non-blocking ones completed in any order, on overlapping communicators, between
// messages on the same communicator, and after everything they use has been freed; persistent ones restarted often and
// started in different orders.
#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

int sum_of_ranks(int times) {
  return times * check::size * (check::size - 1) / 2;
}

// Reductions, broadcasts and exchanges, begun in the same order by all and completed in an order of each rank's own.
void any_order(std::mt19937& random) {
  constexpr std::size_t many = 60;
  const auto ranks = static_cast<std::size_t>(check::size);
  MPI_Comm reversed;
  MPI_Comm_split(world, 0, -check::rank, &reversed);
  std::vector<std::vector<int>> in(many), out(many);
  std::vector<MPI_Request> requests(many);
  for (std::size_t i = 0; i < many; ++i) {
    const std::size_t length = i % 5 == 4 ? 20000 : 1 + i;
    const MPI_Comm comm = i % 3 == 0 ? reversed : world;
    const int value = static_cast<int>(i) + check::rank, count = static_cast<int>(length);
    in[i].assign(length * ranks, value);
    out[i].assign(length * ranks, -1);
    if (i % 4 == 0) MPI_Iallreduce(in[i].data(), out[i].data(), count, MPI_INT, MPI_SUM, comm, &requests[i]);
    if (i % 4 == 1) MPI_Ibcast(in[i].data(), count, MPI_INT, static_cast<int>(i) % check::size, comm, &requests[i]);
    if (i % 4 == 2) MPI_Ialltoall(in[i].data(), count, MPI_INT, out[i].data(), count, MPI_INT, comm, &requests[i]);
    if (i % 4 == 3) MPI_Iscan(in[i].data(), out[i].data(), count, MPI_INT, MPI_SUM, comm, &requests[i]);
  }
  CHECK_EQ(MPI_Comm_free(&reversed), MPI_SUCCESS);  // what was begun goes on
  std::vector<std::size_t> order(many);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, random);
  for (const std::size_t i : order) CHECK_EQ(MPI_Wait(&requests[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (std::size_t i = 0; i < many; ++i) {
    const bool turned = i % 3 == 0;
    const int n = static_cast<int>(i), root = n % check::size;
    if (i % 4 == 0) CHECK_EQ(out[i][0], sum_of_ranks(1) + n * check::size);
    if (i % 4 == 1) CHECK_EQ(in[i][0], n + (turned ? check::size - 1 - root : root));
    for (std::size_t peer = 0; i % 4 == 2 && peer < ranks; ++peer) {
      const int from = turned ? check::size - 1 - static_cast<int>(peer) : static_cast<int>(peer);
      CHECK_EQ(out[i][peer * out[i].size() / ranks], n + from);
    }
    if (i % 4 == 3) {
      int expected = 0;
      for (int r = 0; r < check::size; ++r) expected += (turned ? r >= check::rank : r <= check::rank) ? n + r : 0;
      CHECK_EQ(out[i][0], expected);
    }
  }
}

// Non-blocking operations begin before, between or after blocking ones, at the same place in all ranks, and a rank may
// be far ahead of another one.
void beside_blocking_ones() {
  std::mt19937 places(7);  // equal in all ranks
  const auto ranks = static_cast<std::size_t>(check::size);
  for (const int count : {1, 3, 9000}) {
    for (int round = 0; round < 30; ++round) {
      const auto length = static_cast<std::size_t>(count);
      std::vector<int> in(length, check::rank + round), sum(length, -1), spread(length, check::rank == 0 ? round : -1);
      std::vector<int> own(1, check::rank), all(ranks, -1);
      std::array<MPI_Request, 2> requests;
      const unsigned place = places() % 4;
      const auto start = [&] {
        MPI_Iallreduce(in.data(), sum.data(), count, MPI_INT, MPI_SUM, world, &requests[0]);
        MPI_Ibcast(spread.data(), count, MPI_INT, 0, world, &requests[1]);
      };
      if (place == 0) start();
      MPI_Barrier(world);
      if (place == 1) start();
      MPI_Allgather(own.data(), 1, MPI_INT, all.data(), 1, MPI_INT, world);
      if (place == 2) start();
      std::vector<int> maximum(length, -1);
      MPI_Allreduce(in.data(), maximum.data(), count, MPI_INT, MPI_MAX, world);
      if (place == 3) start();
      CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
      CHECK(sum == std::vector<int>(length, sum_of_ranks(1) + round * check::size));
      CHECK(spread == std::vector<int>(length, round));
      CHECK(maximum == std::vector<int>(length, check::size - 1 + round));
      for (std::size_t i = 0; i < ranks; ++i) CHECK_EQ(all[i], static_cast<int>(i));
    }
  }
}

// Each of several communicators that overlap has operations under way, between messages with wildcards.
void beside_messages() {
  const int next = (check::rank + 1) % check::size, previous = (check::rank + check::size - 1) % check::size;
  MPI_Comm pairs;
  MPI_Comm_split(world, (check::rank + 1) / 2, check::rank, &pairs);
  int pair_size, pair_sum = 0, pair_expected = 0;
  MPI_Comm_size(pairs, &pair_size);
  for (int r = 0; r < check::size; ++r) pair_expected += (r + 1) / 2 == (check::rank + 1) / 2 ? r : 0;
  for (int round = 0; round < 50; ++round) {
    std::array<MPI_Request, 5> requests;
    int got = -1, sum = -1;
    const int sent = round * 100 + check::rank;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[0]);
    MPI_Iallreduce(&check::rank, &sum, 1, MPI_INT, MPI_SUM, world, &requests[1]);
    MPI_Iallreduce(&check::rank, &pair_sum, 1, MPI_INT, MPI_SUM, pairs, &requests[2]);
    MPI_Isend(&sent, 1, MPI_INT, next, round, world, &requests[3]);
    MPI_Ibarrier(world, &requests[4]);
    for (std::size_t left = requests.size(); left > 0; --left) {
      int index = -1;
      CHECK_EQ(MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(got, round * 100 + previous);
    CHECK_EQ(sum, sum_of_ranks(1));
    CHECK_EQ(pair_sum, pair_expected);
  }
  MPI_Comm_free(&pairs);
}

void add(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < 2 * *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

// An operator and a datatype are needed after the user has freed them.
void freed_at_once() {
  MPI_Datatype pair, column;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_vector(500, 1, 2, MPI_INT, &column);
  MPI_Type_commit(&pair);
  MPI_Type_commit(&column);
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  std::vector<int> given(8000, check::rank), sum(8000, -1), columns(1000, check::rank == 0 ? 3 : -1);
  std::array<MPI_Request, 2> requests;
  MPI_Iallreduce(given.data(), sum.data(), 4000, pair, op, world, &requests[0]);
  MPI_Ibcast(columns.data(), 1, column, 0, world, &requests[1]);
  MPI_Op_free(&op);
  MPI_Type_free(&pair);
  MPI_Type_free(&column);
  CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQ(std::ranges::count(sum, sum_of_ranks(1)), 8000);
  CHECK_EQ(std::ranges::count(columns, 3), check::rank == 0 ? 1000 : 500);
}

// Four operations in a thousand rounds, started in one order by even ranks and in the other by odd ones.
void persistent() {
  const auto ranks = static_cast<std::size_t>(check::size);
  std::array<MPI_Request, 4> requests;
  std::vector<int> to(ranks), from(ranks), gathered(ranks);
  std::vector<int> counts(ranks, 1), displs(ranks);
  std::iota(displs.begin(), displs.end(), 0);
  int value = 0, sum = 0, news = 0;
  MPI_Allreduce_init(&value, &sum, 1, MPI_INT, MPI_SUM, world, MPI_INFO_NULL, &requests[0]);
  MPI_Bcast_init(&news, 1, MPI_INT, check::size - 1, world, MPI_INFO_NULL, &requests[1]);
  MPI_Alltoall_init(to.data(), 1, MPI_INT, from.data(), 1, MPI_INT, world, MPI_INFO_NULL, &requests[2]);
  MPI_Allgatherv_init(&value, 1, MPI_INT, gathered.data(), counts.data(), displs.data(), MPI_INT, world, MPI_INFO_NULL,
                      &requests[3]);
  std::array<MPI_Request, 4> order = requests;
  if (check::rank % 2 == 1) std::ranges::reverse(order);
  for (int round = 0; round < 1000; ++round) {
    value = round + check::rank;
    news = check::rank == check::size - 1 ? round : -1;
    for (std::size_t i = 0; i < ranks; ++i) to[i] = 10 * value + static_cast<int>(i);
    if (round % 2 == 0) {
      MPI_Startall(4, order.data());
    } else {
      for (MPI_Request& request : order) MPI_Start(&request);
    }
    CHECK_EQ(MPI_Waitall(4, order.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(sum, sum_of_ranks(1) + round * check::size);
    CHECK_EQ(news, round);
    for (std::size_t i = 0; i < ranks; ++i) {
      CHECK_EQ(from[i], 10 * (round + static_cast<int>(i)) + check::rank);
      CHECK_EQ(gathered[i], round + static_cast<int>(i));
    }
  }
  for (MPI_Request& request : requests) CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

int class_of(int code) {
  int found = -1;
  MPI_Error_class(code, &found);
  return found;
}

// The others begin when the first process says so; until then its operation cannot have ended.
void say_go(MPI_Comm comm) {
  int go = 1;
  for (int peer = 1; check::rank == 0 && peer < check::size; ++peer) MPI_Send(&go, 1, MPI_INT, peer, 9, comm);
}
void hear_go(MPI_Comm comm) {
  int go = 0;
  if (check::rank != 0) MPI_Recv(&go, 1, MPI_INT, 0, 9, comm, MPI_STATUS_IGNORE);
}

// What cannot be done to active requests; it leaves them as they were.
void misuse() {
  const bool first = check::rank == 0 && check::size > 1;
  MPI_Comm comm;
  MPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Request request, kept;
  hear_go(comm);
  MPI_Ibarrier(comm, &request);
  kept = request;
  if (first) {
    CHECK_EQ(class_of(MPI_Request_free(&request)), MPI_ERR_REQUEST);
    CHECK_EQ(class_of(MPI_Cancel(&kept)), MPI_ERR_REQUEST);
    CHECK_EQ(class_of(MPI_Start(&kept)), MPI_ERR_REQUEST);
  }
  say_go(comm);
  CHECK_EQ(MPI_Wait(&kept, MPI_STATUS_IGNORE), MPI_SUCCESS);

  int flag = 0;
  MPI_Status status;
  MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
  kept = request;
  CHECK_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);  // it is not active: nothing to wait for
  CHECK_EQ(flag, 1);
  CHECK_EQ(class_of(MPI_Cancel(&request)), MPI_ERR_REQUEST);
  hear_go(comm);
  CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
  if (first) {
    CHECK_EQ(class_of(MPI_Start(&kept)), MPI_ERR_REQUEST);
    CHECK_EQ(class_of(MPI_Request_free(&request)), MPI_ERR_REQUEST);
  }
  say_go(comm);
  request = kept;
  CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);  // the communicator lives on
  CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

// Where ranks run is known to a communicator from its first blocking operation on: what began before goes on as it
// began, and so do the rounds of a persistent operation, which ranks start before that or after it.
void around_the_first_blocking_one(std::mt19937& random) {
  constexpr std::size_t length = 3000;  // long enough for algorithms that suit the nodes
  using Data = std::vector<int>;
  MPI_Comm fresh;
  MPI_Comm_dup(world, &fresh);
  Data often(length, 3), early(length, 1), late(length, 2), often_sum(length), early_sum(length), late_sum(length);
  MPI_Request rounds, begun, more;
  MPI_Allreduce_init(often.data(), often_sum.data(), length, MPI_INT, MPI_SUM, fresh, MPI_INFO_NULL, &rounds);
  MPI_Iallreduce(early.data(), early_sum.data(), length, MPI_INT, MPI_SUM, fresh, &begun);
  const bool starts_before = random() % 2 == 0;
  if (starts_before) MPI_Start(&rounds);
  Data data(length, check::rank == 1 % check::size ? 7 : -1);
  CHECK_EQ(MPI_Bcast(data.data(), length, MPI_INT, 1 % check::size, fresh), MPI_SUCCESS);
  CHECK(data == Data(length, 7));
  if (!starts_before) MPI_Start(&rounds);
  MPI_Iallreduce(late.data(), late_sum.data(), length, MPI_INT, MPI_SUM, fresh, &more);
  for (MPI_Request* const request : {&more, &rounds, &begun})
    CHECK_EQ(MPI_Wait(request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK(often_sum == Data(length, 3 * check::size));
  CHECK(early_sum == Data(length, check::size));
  CHECK(late_sum == Data(length, 2 * check::size));
  often.assign(length, 4);
  MPI_Start(&rounds);
  CHECK_EQ(MPI_Wait(&rounds, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK(often_sum == Data(length, 4 * check::size));
  MPI_Request_free(&rounds);
  MPI_Comm_free(&fresh);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  // All ranks begin the same operations; each completes them in an order of its own. TEST_SEED gives other orders.
  const char* const given = std::getenv("TEST_SEED");
  const auto seed = static_cast<unsigned>(given != nullptr ? std::atoi(given) : 2024);
  if (check::rank == 0) std::printf("seed %u\n", seed);
  std::mt19937 random(seed + static_cast<unsigned>(check::rank));
  for (int round = 0; round < 5; ++round) any_order(random);
  for (int round = 0; round < 5; ++round) around_the_first_blocking_one(random);
  beside_blocking_ones();
  beside_messages();
  freed_at_once();
  persistent();
  misuse();
  return program.finish();
}
