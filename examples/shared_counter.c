// SPDX-License-Identifier: BSD-3-Clause
// A counter that all ranks share gives out pieces of work: MPI_Fetch_and_op adds 1 and returns the number before, so
// each piece goes to one rank. A rank that is slow takes fewer pieces. Rank 0 keeps the counter but does nothing for
// it.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // The memory of the window: one number at rank 0, none elsewhere.
  long* counter;
  MPI_Win win;
  MPI_Win_allocate(rank == 0 ? sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
  if (rank == 0) *counter = 0;
  MPI_Barrier(MPI_COMM_WORLD);

  // Piece i is to add i + 1 to the sum.
  const long pieces = 100000;
  long done = 0, sum = 0;
  MPI_Win_lock_all(0, win);
  for (;;) {
    const long one = 1;
    long piece;
    MPI_Fetch_and_op(&one, &piece, MPI_LONG, 0, 0, MPI_SUM, win);
    MPI_Win_flush(0, win);
    if (piece >= pieces) break;
    sum += piece + 1;
    ++done;
  }
  MPI_Win_unlock_all(win);

  long total[2] = {done, sum};
  MPI_Allreduce(MPI_IN_PLACE, total, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const int wrong = total[0] != pieces || total[1] != pieces * (pieces + 1) / 2;
  printf("rank %d did %ld of %ld pieces\n", rank, done, pieces);
  fflush(stdout);
  MPI_Win_free(&win);
  if (rank == 0) printf("shared counter: %ld pieces, each done once: %s\n", total[0], wrong ? "WRONG" : "right");
  MPI_Finalize();
  return wrong;
}
