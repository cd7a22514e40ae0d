// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE where the thread that ends an operation is not the one that waits for it: partitions that several
// threads declare ready, a receive that another thread cancels; buffered sends and flushes of all threads at once, and
// a buffer that one thread detaches while another one sends.
//
// The ranks form a ring; a rank alone talks to itself.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "status.hpp"

namespace {

using check::at;

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int threads = 4;
constexpr int rounds = 24;
constexpr int each = 5000;  // ints in a partition
int next, previous;

// CHECK is for one thread: each of the others counts what is wrong, and main checks the sum.
std::atomic<long> wrong = 0;

void expect(bool holds) {
  if (!holds) ++wrong;
}

template <class Work>
std::vector<std::jthread> start(const Work& work) {
  std::vector<std::jthread> team;
  for (int thread = 0; thread < threads; ++thread) team.emplace_back([&work, thread] { work(thread); });
  return team;
}

// Each thread sends one partition and asks for the one of its number, while main waits for the whole.
void partitions() {
  std::vector<int> out(at(threads * each)), in(at(threads * each));
  MPI_Request send, receive;
  MPI_Psend_init(out.data(), threads, each, MPI_INT, next, 3, world, MPI_INFO_NULL, &send);
  MPI_Precv_init(in.data(), threads, each, MPI_INT, previous, 3, world, MPI_INFO_NULL, &receive);
  for (int round = 0; round < rounds; ++round) {
    std::ranges::fill(in, -1);
    MPI_Start(&receive);
    MPI_Start(&send);
    const auto work = [&](int thread) {
      const int stamp = round * threads + thread;
      const std::size_t first = at(thread * each), last = first + at(each) - 1;
      out[first] = out[last] = stamp;
      expect(MPI_Pready(thread, send) == MPI_SUCCESS);
      for (int arrived = 0; !arrived;) expect(MPI_Parrived(receive, thread, &arrived) == MPI_SUCCESS);
      expect(in[first] == stamp && in[last] == stamp);
    };
    const auto team = start(work);
    CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&receive, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  CHECK_EQ(wrong.exchange(0), 0);
  MPI_Request_free(&send);
  MPI_Request_free(&receive);
}

// Nothing but the other thread's call can end the receive.
void cancelled_by_another() {
  for (int round = 0; round < rounds; ++round) {
    int in = -1;
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, previous, 4, world, &request);
    const std::jthread other([request]() mutable { expect(MPI_Cancel(&request) == MPI_SUCCESS); });
    MPI_Status status;
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    CHECK(check::cancelled(status));
  }
  CHECK_EQ(wrong.exchange(0), 0);
}

// A rank may be ahead of the next one by as many rounds as there are ranks. The flush comes last: it waits for what the
// other threads have sent, too, and so for the next rank's threads, which must not wait for a flush meanwhile.
void buffered() {
  std::vector<char> memory(at(threads * (check::size + 1)) * (at(each) * sizeof(int) + MPI_BSEND_OVERHEAD));
  MPI_Buffer_attach(memory.data(), static_cast<int>(memory.size()));
  const auto work = [](int thread) {
    std::vector<int> out(each), in(each);
    for (int round = 0; round < rounds; ++round) {
      std::ranges::fill(out, round * threads + thread);
      const int length = round % 2 ? each : 5;
      MPI_Request received;
      MPI_Irecv(in.data(), each, MPI_INT, previous, thread, world, &received);
      expect(MPI_Bsend(out.data(), length, MPI_INT, next, thread, world) == MPI_SUCCESS);
      std::ranges::fill(out, -1);
      MPI_Status status;
      MPI_Wait(&received, &status);
      expect(check::is_message(status, previous, thread, length));
      expect(in[0] == round * threads + thread && in[at(length) - 1] == in[0]);
    }
    MPI_Request flushed;
    MPI_Buffer_iflush(&flushed);
    expect(MPI_Wait(&flushed, MPI_STATUS_IGNORE) == MPI_SUCCESS);
  };
  start(work).clear();  // joins
  CHECK_EQ(wrong.exchange(0), 0);
  void* address = nullptr;
  int size = 0;
  MPI_Buffer_detach(&address, &size);
  CHECK(address == memory.data());
}

// While a thread waits for the first message to leave the communicator's buffer, another thread buffers a second one.
// Once the buffer is detached, no message may lie there any more. Should the second thread come too late, it finds the
// buffer of the process.
void detached_meanwhile() {
  constexpr int length = 100'000;
  using std::chrono::milliseconds;
  MPI_Comm comm;
  MPI_Comm_dup(world, &comm);
  const std::size_t room = 2 * (at(length) * sizeof(int) + MPI_BSEND_OVERHEAD);
  std::vector<char> of_comm(room), of_process(room);
  MPI_Comm_attach_buffer(comm, of_comm.data(), static_cast<int>(room));
  MPI_Buffer_attach(of_process.data(), static_cast<int>(room));
  const auto send = [comm](int tag) {
    const std::vector<int> out(length, tag);
    expect(MPI_Bsend(out.data(), length, MPI_INT, next, tag, comm) == MPI_SUCCESS);
  };
  send(1);
  {
    const std::jthread sender([&] {
      std::this_thread::sleep_for(
          milliseconds(5));  // so that the other thread waits already; if not, that is right, too
      send(2);
    });
    const std::jthread receiver([&] {
      std::vector<int> in(length);
      for (const int tag : {1, 2}) {
        std::this_thread::sleep_for(milliseconds(20));
        MPI_Recv(in.data(), length, MPI_INT, previous, tag, comm, MPI_STATUS_IGNORE);
        expect(std::ranges::count(in, tag) == length);
      }
    });
    void* address = nullptr;
    int size = 0;
    CHECK_EQ(MPI_Comm_detach_buffer(comm, &address, &size), MPI_SUCCESS);
    CHECK(address == of_comm.data());
    std::ranges::fill(of_comm, '\xee');
  }
  CHECK_EQ(wrong.exchange(0), 0);
  void* address = nullptr;
  int size = 0;
  MPI_Buffer_detach(&address, &size);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  next = (check::rank + 1) % check::size;
  previous = (check::rank + check::size - 1) % check::size;
  partitions();
  cancelled_by_another();
  buffered();
  detached_meanwhile();
  return program.finish();
}
