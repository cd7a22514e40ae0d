// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests that another thread completes: each waiting call is already waiting, or is just about to, when
// MPI_Grequest_complete is called.
#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "status.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int n = 3;  // generalized requests in a list
std::atomic<int> queries = 0, frees = 0;

int query(void* extra_state, MPI_Status* status) {
  status->MPI_SOURCE = 0;
  status->MPI_TAG = *static_cast<int*>(extra_state);
  MPI_Status_set_cancelled(status, 0);
  ++queries;
  return MPI_SUCCESS;
}

int free_state(void* extra_state) {
  *static_cast<int*>(extra_state) = -1;
  ++frees;
  return MPI_SUCCESS;
}

int cancel(void*, int) {
  return MPI_SUCCESS;
}

// The thread that does the operations: it completes requests in the order in which they are given to it.
class Worker {
 public:
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() { give(MPI_REQUEST_NULL); }

  void give(MPI_Request request) {
    const std::lock_guard guard(mutex_);
    work_.push_back(request);
    changed_.notify_one();
  }

  long failed() const { return failed_; }

 private:
  MPI_Request next() {
    std::unique_lock guard(mutex_);
    changed_.wait(guard, [&] { return !work_.empty(); });
    const MPI_Request request = work_.front();
    work_.pop_front();
    return request;
  }
  void run() {
    for (MPI_Request request; (request = next()) != MPI_REQUEST_NULL;) {
      if (MPI_Grequest_complete(request) != MPI_SUCCESS) ++failed_;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<MPI_Request> work_;
  std::atomic<long> failed_ = 0;
  std::jthread thread_{[this] { run(); }};  // the last member: the others exist while it runs
};

MPI_Request start(int& state) {
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(MPI_Grequest_start(query, free_state, cancel, &state, &request), MPI_SUCCESS);
  return request;
}

void one(Worker& worker, bool wait, int round) {
  int state = round, flag = 0;
  MPI_Request request = start(state);
  MPI_Status status = check::spoilt();
  worker.give(request);
  if (wait) CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  while (!wait && !flag) MPI_Test(&request, &flag, &status);
  CHECK(request == MPI_REQUEST_NULL);
  CHECK_EQ(status.MPI_TAG, round);
  CHECK_EQ(state, -1);
}

// The list: n generalized requests, a receive, a send and a null request.
struct List {
  explicit List(int round) {
    const int next = (check::rank + 1) % check::size, previous = (check::rank + check::size - 1) % check::size;
    requests.fill(MPI_REQUEST_NULL);
    for (int i = 0; i < n; ++i) requests[check::at(i)] = start(states[check::at(i)] = round + i);
    out = round;
    MPI_Irecv(&in, 1, MPI_INT, previous, 9, world, &requests[n]);
    MPI_Isend(&out, 1, MPI_INT, next, 9, world, &requests[n + 1]);
  }

  void give(Worker& worker) {
    for (int i = n - 1; i >= 0; --i) worker.give(requests[check::at(i)]);
  }

  void check_end(int round) {
    CHECK_EQ(in, round);
    for (const int state : states) CHECK_EQ(state, -1);
    for (const MPI_Request& request : requests) CHECK(request == MPI_REQUEST_NULL);
  }

  std::array<int, n> states;
  int in = -1, out;
  std::array<MPI_Request, n + 3> requests;
  std::array<MPI_Status, n + 3> statuses;
};

void all(Worker& worker, bool wait, int round) {
  List list(round);
  int flag = 0;
  const int length = static_cast<int>(list.requests.size());
  MPI_Testall(length, list.requests.data(), &flag, list.statuses.data());
  CHECK_EQ(flag, 0);
  list.give(worker);
  if (wait) CHECK_EQ(MPI_Waitall(length, list.requests.data(), list.statuses.data()), MPI_SUCCESS);
  while (!wait && !flag) MPI_Testall(length, list.requests.data(), &flag, list.statuses.data());
  for (int i = 0; i < n; ++i) CHECK_EQ(list.statuses[check::at(i)].MPI_TAG, round + i);
  CHECK_EQ(list.statuses[n].MPI_TAG, 9);
  list.check_end(round);
}

void any(Worker& worker, bool wait, int round) {
  List list(round);
  const int length = static_cast<int>(list.requests.size());
  list.give(worker);
  for (int left = n + 2; left > 0; --left) {
    int index = -1, flag = 0;
    MPI_Status status;
    if (wait) CHECK_EQ(MPI_Waitany(length, list.requests.data(), &index, &status), MPI_SUCCESS);
    while (!wait && !flag) MPI_Testany(length, list.requests.data(), &index, &flag, &status);
    if (!CHECK(index >= 0 && index < n + 2)) return;
    if (index < n) CHECK_EQ(status.MPI_TAG, round + index);
  }
  list.check_end(round);
}

void some(Worker& worker, bool wait, int round) {
  List list(round);
  const int length = static_cast<int>(list.requests.size());
  std::array<int, n + 3> indices;
  list.give(worker);
  for (int left = n + 2, count = 0; left > 0; left -= count) {
    if (wait) {
      MPI_Waitsome(length, list.requests.data(), &count, indices.data(), list.statuses.data());
    } else {
      MPI_Testsome(length, list.requests.data(), &count, indices.data(), list.statuses.data());
    }
    if (!CHECK(count >= 0 && count <= left)) return;
    for (int k = 0; k < count; ++k) {
      const int index = indices[check::at(k)];
      if (index < n) CHECK_EQ(list.statuses[check::at(k)].MPI_TAG, round + index);
    }
  }
  list.check_end(round);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  constexpr int rounds = 50;
  {
    Worker worker;
    for (int round = 0; round < rounds; ++round) {
      for (const bool wait : {true, false}) {
        one(worker, wait, round);
        all(worker, wait, round);
        any(worker, wait, round);
        some(worker, wait, round);
      }
    }
    CHECK_EQ(worker.failed(), 0);
  }
  CHECK_EQ(queries.load(), rounds * 2 * (1 + 3 * n));
  CHECK_EQ(frees.load(), queries.load());
  return program.finish();
}
