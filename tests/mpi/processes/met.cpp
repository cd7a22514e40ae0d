// SPDX-License-Identifier: BSD-3-Clause
// A process of a world that nobody has launched: it talks, ends the job, or waits until it is killed.
#include <mpi-ext.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

int rank, size;

/// Every rank sends to every other one; returns whether all have got what they should.
bool all_talk() {
  std::vector<int> sent(static_cast<std::size_t>(size)), received(sent.size(), -1);
  for (int i = 0; i < size; ++i) sent[static_cast<std::size_t>(i)] = size * rank + i;
  MPI_Alltoall(sent.data(), 1, MPI_INT, received.data(), 1, MPI_INT, MPI_COMM_WORLD);
  bool right = true;
  for (int i = 0; i < size; ++i) right = right && received[static_cast<std::size_t>(i)] == size * i + rank;
  for (int distance = 1; distance < size; ++distance) {
    std::vector<double> out(20000, rank), in(out.size());
    MPI_Sendrecv(out.data(), 20000, MPI_DOUBLE, (rank + distance) % size, 7, in.data(), 20000, MPI_DOUBLE,
                 (rank + size - distance) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    right = right && in.front() == (rank + size - distance) % size && in.back() == in.front();
  }
  return right;
}

void tell() {
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 0;
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  int* universe = nullptr;
  int known = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &universe, &known);
  std::printf("rank %d of %d, %d here, universe %d, %s\n", rank, size, here, known != 0 ? *universe : -1,
              std::getenv("BOWLINE_RENDEZVOUS") == nullptr ? "consumed" : "left");
  std::fflush(stdout);
}

[[noreturn]] void compute() {
  while (true) pause();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "talk";
  if (task == "talk" && argc > 2) MPIX_Rendezvous(argv[2]);
  MPI_Init(&argc, &argv);
  if (task == "too_late") MPIX_Rendezvous(argv[2]);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!all_talk()) MPI_Abort(MPI_COMM_WORLD, 99);
  tell();
  if (task == "abort") {  // the rank, the status
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == std::atoi(argv[2])) MPI_Abort(MPI_COMM_WORLD, std::atoi(argv[3]));
    compute();
  }
  if (task == "wait") {  // for a message that does not come
    int never = 0;
    MPI_Recv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (task == "late" && rank == size - 1) std::getchar();  // the others wait in MPI_Finalize
  MPI_Finalize();
  return task == "status" ? 10 + rank : 0;
}
