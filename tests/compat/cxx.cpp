// SPDX-License-Identifier: BSD-3-Clause
// MPI's functions for C++, which MPI-3.0 removed and which old programs use. Their library is the other MPI's own.
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  const int rank = MPI::COMM_WORLD.Get_rank();
  const int size = MPI::COMM_WORLD.Get_size();
  int sum = 0;
  MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
  int got = -1;
  MPI::Status status;
  MPI::Request request = MPI::COMM_WORLD.Isend(&rank, 1, MPI::INT, (rank + 1) % size, 5);
  MPI::COMM_WORLD.Recv(&got, 1, MPI::INT, MPI::ANY_SOURCE, MPI::ANY_TAG, status);
  request.Wait();
  MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, rank);
  const bool good = sum == size * (size - 1) / 2 && got == (rank + size - 1) % size && status.Get_source() == got &&
                    status.Get_tag() == 5 && half.Get_size() == (size + 1 - rank % 2) / 2;
  half.Free();
  if (!good) MPI::COMM_WORLD.Abort(1);
  MPI::COMM_WORLD.Barrier();
  if (rank == 0) std::printf("all checks hold\n");
  MPI::Finalize();
  return 0;
}
