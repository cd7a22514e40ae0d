// SPDX-License-Identifier: BSD-3-Clause
// All processes take numbers from a counter in the memory of rank 0; then one of them sets it back.
//
//     mpiexec -n 3 ./counter
//     the numbers add up to 3
//     the counter was 3 and is 0 again
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  long* counter;
  MPI_Win win;
  MPI_Win_allocate(rank == 0 ? sizeof *counter : 0, sizeof *counter, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &win);
  if (rank == 0) *counter = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  const long one = 1;
  long ticket, sum;
  MPI_Fetch_and_op(&one, &ticket, MPI_LONG, 0, 0, MPI_SUM, win);
  MPI_Win_flush(0, win);  // only now the ticket is here
  MPI_Reduce(&ticket, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("the numbers add up to %ld\n", sum);
    const long expected = 3, none = 0;
    long before;
    MPI_Compare_and_swap(&none, &expected, &before, MPI_LONG, 0, 0, win);
    MPI_Win_flush(0, win);
    if (before == expected) printf("the counter was %ld and is %ld again\n", before, none);
  }
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
