// SPDX-License-Identifier: BSD-3-Clause
// Every completion call over lists that hold everything at once: null handles, inactive persistent requests, sends,
// receives and a cancelled receive; with statuses and without.
//
// Each rank plays with its neighbours in a ring; a rank alone plays with itself.
#include <array>
#include <vector>

#include "status.hpp"

namespace {

using check::at;

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int large = 50000;
int next, previous;

enum class How { wait, test, waitall, testall, waitany, testany, waitsome, testsome };
constexpr std::array<How, 8> every_way = {How::wait,    How::test,    How::waitall,  How::testall,
                                          How::waitany, How::testany, How::waitsome, How::testsome};

struct Result {
  bool taken = false;
  MPI_Status status{};
};

void take(std::vector<Result>& results, int i, const MPI_Status& status) {
  if (!CHECK(i >= 0 && at(i) < results.size() && !results[at(i)].taken)) return;
  results[at(i)] = {true, status};
}

// Completes one by one until the list is exhausted, which the calls say with MPI_UNDEFINED.
void any(bool wait, std::vector<MPI_Request>& list, std::vector<Result>& results, bool ignore) {
  const int n = static_cast<int>(list.size());
  for (;;) {
    MPI_Status status = check::spoilt();
    MPI_Status* const out = ignore ? MPI_STATUS_IGNORE : &status;
    int index = -7, flag = 0;
    if (wait) {
      CHECK_EQ(MPI_Waitany(n, list.data(), &index, out), MPI_SUCCESS);
    } else {
      while (!flag) CHECK_EQ(MPI_Testany(n, list.data(), &index, &flag, out), MPI_SUCCESS);
    }
    if (index == MPI_UNDEFINED) {
      if (!ignore) CHECK(check::is_empty(status));
      return;
    }
    if (!ignore) CHECK_EQ(status.MPI_ERROR, check::untouched);
    take(results, index, status);
  }
}

void some(bool wait, std::vector<MPI_Request>& list, std::vector<Result>& results, bool ignore) {
  const int n = static_cast<int>(list.size());
  std::vector<int> indices(list.size());
  std::vector<MPI_Status> statuses(list.size(), check::spoilt());
  MPI_Status* const out = ignore ? MPI_STATUSES_IGNORE : statuses.data();
  for (int count = 0; count != MPI_UNDEFINED;) {
    if (wait) {
      CHECK_EQ(MPI_Waitsome(n, list.data(), &count, indices.data(), out), MPI_SUCCESS);
      CHECK(count == MPI_UNDEFINED || count > 0);
    } else {
      CHECK_EQ(MPI_Testsome(n, list.data(), &count, indices.data(), out), MPI_SUCCESS);
    }
    for (int k = 0; count != MPI_UNDEFINED && k < count; ++k) take(results, indices[at(k)], statuses[at(k)]);
  }
}

void all(bool wait, std::vector<MPI_Request>& list, std::vector<Result>& results, bool ignore) {
  const int n = static_cast<int>(list.size());
  std::vector<MPI_Status> statuses(list.size(), check::spoilt());
  MPI_Status* const out = ignore ? MPI_STATUSES_IGNORE : statuses.data();
  if (wait) {
    CHECK_EQ(MPI_Waitall(n, list.data(), out), MPI_SUCCESS);
  } else {
    for (int flag = 0; !flag;) CHECK_EQ(MPI_Testall(n, list.data(), &flag, out), MPI_SUCCESS);
  }
  for (int i = 0; i < n; ++i) take(results, i, statuses[at(i)]);
}

void each(bool wait, std::vector<MPI_Request>& list, std::vector<Result>& results, bool ignore) {
  for (std::size_t i = list.size(); i-- > 0;) {
    MPI_Status status = check::spoilt();
    MPI_Status* const out = ignore ? MPI_STATUS_IGNORE : &status;
    if (wait) {
      CHECK_EQ(MPI_Wait(&list[i], out), MPI_SUCCESS);
    } else {
      for (int flag = 0; !flag;) CHECK_EQ(MPI_Test(&list[i], &flag, out), MPI_SUCCESS);
    }
    take(results, static_cast<int>(i), status);
  }
}

void complete(How how, std::vector<MPI_Request>& list, std::vector<Result>& results, bool ignore) {
  switch (how) {
    case How::wait:
    case How::test:
      return each(how == How::wait, list, results, ignore);
    case How::waitall:
    case How::testall:
      return all(how == How::waitall, list, results, ignore);
    case How::waitany:
    case How::testany:
      return any(how == How::waitany, list, results, ignore);
    case How::waitsome:
    case How::testsome:
      return some(how == How::waitsome, list, results, ignore);
  }
}

// The kinds of requests in the list, by index. The idle one stands there twice: it may, as it is not active.
enum Place { null, idle, idle_again, receive, send, persistent_receive, persistent_send, cancelled_one, big, places };

struct Buffers {
  std::array<int, 3> out{}, in{};
  std::vector<int> big = std::vector<int>(large, -1);
};

std::vector<MPI_Request> begin(Buffers& b, const std::array<MPI_Request, 3>& persistent) {
  std::vector<MPI_Request> list(places, MPI_REQUEST_NULL);
  list[idle] = list[idle_again] = persistent[0];
  list[persistent_receive] = persistent[1];
  list[persistent_send] = persistent[2];
  MPI_Irecv(&b.in[0], 1, MPI_INT, previous, receive, world, &list[receive]);
  MPI_Irecv(b.big.data(), large, MPI_INT, previous, big, world, &list[big]);
  MPI_Irecv(&b.in[2], 1, MPI_INT, previous, cancelled_one, world, &list[cancelled_one]);
  CHECK_EQ(MPI_Cancel(&list[cancelled_one]), MPI_SUCCESS);
  CHECK_EQ(MPI_Startall(2, &list[persistent_receive]), MPI_SUCCESS);
  MPI_Isend(&b.out[0], 1, MPI_INT, next, receive, world, &list[send]);
  return list;
}

void check_statuses(const std::vector<Result>& results) {
  for (const int i : {receive, persistent_receive, big}) {
    CHECK(check::is_message(results[at(i)].status, previous, i, i == big ? large : 1));
  }
  for (const int i : {send, persistent_send}) CHECK(!check::cancelled(results[at(i)].status));
  CHECK(check::cancelled(results[cancelled_one].status));
  for (const int i : {null, idle, idle_again}) {
    if (results[at(i)].taken) CHECK(check::is_empty(results[at(i)].status));
  }
}

void mixture(How how, bool ignore, int round) {
  Buffers b;
  b.out = {round, round + 1, 0};
  std::array<MPI_Request, 3> persistent;
  MPI_Send_init(&b.out[2], 1, MPI_INT, next, idle, world, &persistent[0]);  // never started
  MPI_Recv_init(&b.in[1], 1, MPI_INT, previous, persistent_receive, world, &persistent[1]);
  MPI_Send_init(&b.out[1], 1, MPI_INT, next, persistent_receive, world, &persistent[2]);
  for (int lap = 0; lap < 2; ++lap) {  // persistent requests are used again
    b.in = {-1, -1, -1};
    std::vector<MPI_Request> list = begin(b, persistent);
    const std::vector<int> out(large, round);
    MPI_Request sent;
    MPI_Isend(out.data(), large, MPI_INT, next, big, world, &sent);
    std::vector<Result> results(places);
    complete(how, list, results, ignore);
    CHECK_EQ(MPI_Wait(&sent, MPI_STATUS_IGNORE), MPI_SUCCESS);

    const bool empties = how == How::wait || how == How::test || how == How::waitall || how == How::testall;
    for (int i = 0; i < places; ++i) CHECK_EQ(results[at(i)].taken, empties || i > idle_again);
    if (!ignore) check_statuses(results);
    CHECK_EQ(b.in[0], round);
    CHECK_EQ(b.in[1], round + 1);
    CHECK_EQ(b.in[2], -1);
    CHECK(b.big == out);
    for (const int i : {null, receive, send, cancelled_one, big}) CHECK(list[at(i)] == MPI_REQUEST_NULL);
    CHECK(list[idle] == persistent[0] && list[idle_again] == persistent[0]);
    CHECK(list[persistent_receive] == persistent[1] && list[persistent_send] == persistent[2]);
    MPI_Barrier(world);
  }
  for (MPI_Request& request : persistent) CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

// Lists without an active request are done at once, also through null pointers if they are empty.
void nothing_to_wait_for() {
  int value = 0;
  std::array<MPI_Request, 3> idle_list = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Recv_init(&value, 1, MPI_INT, previous, 0, world, &idle_list[1]);
  idle_list[2] = idle_list[1];
  for (const How how : every_way) {
    for (const bool ignore : {false, true}) {
      for (const std::size_t length : {std::size_t{3}, std::size_t{0}}) {
        std::vector<MPI_Request> list(idle_list.begin(), idle_list.begin() + static_cast<std::ptrdiff_t>(length));
        std::vector<Result> results(length);
        complete(how, list, results, ignore);
        for (const Result& result : results) CHECK(!result.taken || ignore || check::is_empty(result.status));
      }
    }
  }
  int flag = 0, count = 0;
  CHECK_EQ(MPI_Waitall(0, nullptr, nullptr), MPI_SUCCESS);
  CHECK_EQ(MPI_Testall(0, nullptr, &flag, nullptr), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  CHECK_EQ(MPI_Waitsome(0, nullptr, &count, nullptr, nullptr), MPI_SUCCESS);
  CHECK_EQ(count, MPI_UNDEFINED);
  CHECK_EQ(MPI_Request_free(&idle_list[1]), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  next = (check::rank + 1) % check::size;
  previous = (check::rank + check::size - 1) % check::size;
  nothing_to_wait_for();
  int round = 0;
  for (const How how : every_way) {
    for (const bool ignore : {false, true}) mixture(how, ignore, ++round);
  }
  return program.finish();
}
