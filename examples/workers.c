// SPDX-License-Identifier: BSD-3-Clause
// A manager that starts workers while it runs, gives each of them work until none is left, and lets them go.
//
// Manager and worker are the same program: a process that others have started has parents. Run it as it is, ./workers,
// or with mpiexec -n 1 workers [number of workers].
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { limit = 400000, chunk = 5000, no_more = -1 };

static int primes_from(int first) {
  int count = 0;
  for (int n = first < 2 ? 2 : first; n < first + chunk; ++n) {
    int divisor = 2;
    while (divisor * divisor <= n && n % divisor != 0) ++divisor;
    count += divisor * divisor > n;
  }
  return count;
}

// Answers every number with the primes behind it, until there is no more to do. The first answer asks for work.
static void work(MPI_Comm manager) {
  int found = 0, first;
  for (;;) {
    MPI_Send(&found, 1, MPI_INT, 0, 0, manager);
    MPI_Recv(&first, 1, MPI_INT, 0, 0, manager, MPI_STATUS_IGNORE);
    if (first == no_more) return;
    found = primes_from(first);
  }
}

static int manage(MPI_Comm workers) {
  int left, total = 0, next = 0;
  MPI_Comm_remote_size(workers, &left);
  while (left > 0) {
    int found;
    MPI_Status status;
    MPI_Recv(&found, 1, MPI_INT, MPI_ANY_SOURCE, 0, workers, &status);
    total += found;
    const int first = next < limit ? next : no_more;
    MPI_Send(&first, 1, MPI_INT, status.MPI_SOURCE, 0, workers);
    if (first == no_more) --left;
    next += chunk;
  }
  return total;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm others;
  MPI_Comm_get_parent(&others);
  int right = 1;
  if (others != MPI_COMM_NULL) {
    work(others);
  } else {
    const int workers = argc > 1 ? atoi(argv[1]) : 3;
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, workers, MPI_INFO_NULL, 0, MPI_COMM_SELF, &others, MPI_ERRCODES_IGNORE);
    const int total = manage(others);
    printf("%d workers have found %d primes below %d\n", workers, total, limit);
    right = total == 33860;
  }
  MPI_Comm_disconnect(&others);
  MPI_Finalize();
  return right ? 0 : 1;
}
