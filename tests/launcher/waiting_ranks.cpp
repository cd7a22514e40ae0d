// SPDX-License-Identifier: BSD-3-Clause
// For waits_test.py: each rank hangs in the function that its argument names, until mpiexec ends the job.
//
//   waiting_ranks WHAT...    the WHAT of rank 0, of rank 1, ...; "met_WHAT" for all: after a barrier
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int tag = 7;
constexpr int long_message = 1 << 20;
const MPI_Comm world = MPI_COMM_WORLD;

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// The rank that the examples wait for. It does something else.
int next(MPI_Comm comm) {
  return (rank_of(comm) + 1) % size_of(comm);
}

void compute() {
  for (;;) pause();
}

void receive() {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, next(world), tag, world, MPI_STATUS_IGNORE);
}

void receive_from_itself() {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, rank_of(world), tag, world, MPI_STATUS_IGNORE);
}

void receive_anything() {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
}

void send() {
  const std::vector<char> data(long_message);
  MPI_Send(data.data(), long_message, MPI_CHAR, next(world), tag, world);
}

/// Looks for a message that nobody sends.
void poll_for_ever() {
  for (int found = 0; found == 0;) MPI_Iprobe(next(world), tag, world, &found, MPI_STATUS_IGNORE);
}

void synchronous_send() {
  const int value = 0;
  MPI_Ssend(&value, 1, MPI_INT, next(world), tag, world);
}

void exchange() {
  int in = 0;
  const int out = 0;
  MPI_Sendrecv(&out, 1, MPI_INT, next(world), tag, &in, 1, MPI_INT, next(world), tag + 1, world, MPI_STATUS_IGNORE);
}

void probe() {
  MPI_Status status;
  MPI_Probe(next(world), tag, world, &status);
}

void matched_probe() {
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(MPI_ANY_SOURCE, tag, world, &message, MPI_STATUS_IGNORE);
}

void wait_for_receive() {
  int value = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&value, 1, MPI_INT, next(world), tag, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// Of five requests one is null and one is done.
void wait_for_all() {
  std::array<int, 4> values{};
  std::array<MPI_Request, 5> requests;
  requests.fill(MPI_REQUEST_NULL);
  MPI_Isend(values.data(), 1, MPI_INT, rank_of(world), tag, world, &requests[1]);
  MPI_Irecv(&values[1], 1, MPI_INT, rank_of(world), tag, world, &requests[2]);
  MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
  MPI_Irecv(&values[2], 1, MPI_INT, next(world), tag, world, &requests[3]);
  MPI_Irecv(&values[3], 1, MPI_INT, next(world), tag + 1, world, &requests[4]);
  MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE);
}

void wait_for_any() {
  std::array<int, 2> values{};
  std::array<MPI_Request, 2> requests;
  for (int i = 0; i < 2; ++i) MPI_Irecv(&values[i], 1, MPI_INT, next(world), tag + i, world, &requests[i]);
  int index = 0;
  MPI_Waitany(2, requests.data(), &index, MPI_STATUS_IGNORE);
}

int query(void*, MPI_Status*) {
  return MPI_SUCCESS;
}
int free_nothing(void*) {
  return MPI_SUCCESS;
}
int cancel_nothing(void*, int) {
  return MPI_SUCCESS;
}

void wait_for_generalized() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Grequest_start(query, free_nothing, cancel_nothing, nullptr, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void barrier() {
  MPI_Barrier(world);
}

void broadcast() {
  int value = 0;
  MPI_Bcast(&value, 1, MPI_INT, next(world), world);
}

void wait_for_barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void duplicate() {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(world, &copy);
}

/// On a communicator with a name, in which ranks have other numbers. All ranks make it.
void receive_on_named() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(world, 0, -rank_of(world), &comm);
  MPI_Comm_set_name(comm, "turned\nround");
  int value = 0;
  if (rank_of(comm) != 0) compute();
  MPI_Recv(&value, 1, MPI_INT, 1, tag, comm, MPI_STATUS_IGNORE);
}

void finalize() {
  const std::vector<char> data(long_message);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(data.data(), long_message, MPI_CHAR, next(world), tag, world, &request);
  MPI_Request_free(&request);
  MPI_Finalize();
}

/// A second thread waits later than the first, and is not shown.
void two_threads() {
  std::thread later([] {
    usleep(500'000);
    probe();
  });
  receive();
}

/// The first thread's wait ends: the second thread's is shown from then on.
void two_threads_of_which_one_goes_on() {
  const int value = 0;
  std::thread sooner([] {
    int received = 0;
    MPI_Recv(&received, 1, MPI_INT, rank_of(world), tag + 1, world, MPI_STATUS_IGNORE);
    compute();
  });
  std::thread later([] {
    usleep(300'000);
    probe();
  });
  usleep(600'000);
  MPI_Send(&value, 1, MPI_INT, rank_of(world), tag + 1, world);
  compute();
}

/// A wait is over, and the program computes.
void wait_and_compute() {
  MPI_Request request = MPI_REQUEST_NULL;
  int value = 0;
  std::thread sender([] {
    usleep(500'000);
    const int sent = 0;
    MPI_Send(&sent, 1, MPI_INT, rank_of(world), tag, world);
  });
  MPI_Irecv(&value, 1, MPI_INT, rank_of(world), tag, world, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  compute();
}

const std::map<std::string, std::function<void()>> actions = {
    {"barrier", barrier},
    {"broadcast", broadcast},
    {"compute", compute},
    {"duplicate", duplicate},
    {"exchange", exchange},
    {"finalize", finalize},
    {"generalized", wait_for_generalized},
    {"ibarrier", wait_for_barrier},
    {"mprobe", matched_probe},
    {"multiple", receive},
    {"named", receive_on_named},
    {"own", receive_from_itself},
    {"poll", poll_for_ever},
    {"probe", probe},
    {"receive", receive},
    {"receive_anything", receive_anything},
    {"send", send},
    {"ssend", synchronous_send},
    {"threads", two_threads},
    {"threads_go_on", two_threads_of_which_one_goes_on},
    {"wait", wait_for_receive},
    {"wait_and_compute", wait_and_compute},
    {"waitall", wait_for_all},
    {"waitany", wait_for_any},
};

}  // namespace

int main(int argc, char** argv) {
  const char* const own = std::getenv("PMIX_RANK");
  const int rank = own == nullptr ? argc : std::atoi(own);
  if (rank + 1 >= argc) return std::fprintf(stderr, "waiting_ranks: there is nothing to do for this rank\n"), 2;
  std::string what = argv[rank + 1];
  if (what == "before_init") compute();
  int provided = 0;
  const bool threaded = what.starts_with("threads") || what == "wait_and_compute" || what == "multiple";
  MPI_Init_thread(&argc, &argv, threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (what == "end" || what == "after_finalize") {
    MPI_Finalize();
    if (what == "end") return EXIT_SUCCESS;
    compute();
  }
  if (what.starts_with("met_")) {
    MPI_Barrier(world);
    what.erase(0, 4);
  }
  actions.at(what)();
  std::fprintf(stderr, "rank %d did not wait\n", rank);
  return EXIT_FAILURE;
}
