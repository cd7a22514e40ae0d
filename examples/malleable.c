// SPDX-License-Identifier: BSD-3-Clause
// A stencil on a changing number of processes: it begins with 2, goes on with 4, and ends with 3.
//
// Heat flows along a rod. Between two phases the first process collects the rod and divides it among the processes of
// the next phase. A process that joins is started alone, so that it can leave alone: processes of one job end together.
// Run it with mpiexec -n 2 malleable.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { cells = 1200, steps = 200, phases = 3 };
static const int sizes[phases] = {2, 4, 3};

static int rank_in(MPI_Comm comm) {
  int rank;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
static int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

// One step on `count` cells, beside which stand one cell each of the neighbours.
static void step(double* old, double* new, int count) {
  for (int i = 1; i <= count; ++i) new[i] = old[i] + 0.25 * (old[i - 1] - 2 * old[i] + old[i + 1]);
}

static void start(double* rod) {
  for (int i = 0; i < cells; ++i) rod[i] = i < cells / 2 ? 100 : i % 7;
}

// All steps of a phase; the first process has the rod before and after.
static void phase(MPI_Comm comm, double* rod) {
  const int rank = rank_in(comm), size = size_of(comm), count = cells / size;
  const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  double* old = calloc((size_t)count + 2, sizeof *old);
  double* new = calloc((size_t)count + 2, sizeof *new);
  MPI_Scatter(rod, count, MPI_DOUBLE, old + 1, count, MPI_DOUBLE, 0, comm);
  for (int i = 0; i < steps; ++i) {
    MPI_Sendrecv(old + 1, 1, MPI_DOUBLE, left, 0, old + count + 1, 1, MPI_DOUBLE, right, 0, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv(old + count, 1, MPI_DOUBLE, right, 1, old, 1, MPI_DOUBLE, left, 1, comm, MPI_STATUS_IGNORE);
    step(old, new, count);
    double* swapped = old;
    old = new;
    new = swapped;
  }
  MPI_Gather(old + 1, count, MPI_DOUBLE, rod, count, MPI_DOUBLE, 0, comm);
  free(old);
  free(new);
}

// A process more: all processes of `comm` start it together and become one communicator with it.
static MPI_Comm grown(MPI_Comm comm, char* program, int next_phase) {
  MPI_Comm newcomer, all;
  MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, comm, &newcomer, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(newcomer, 0, &all);
  MPI_Comm_disconnect(&newcomer);
  MPI_Comm_disconnect(&comm);
  MPI_Bcast(&next_phase, 1, MPI_INT, 0, all);  // for the newcomer
  return all;
}

// The last processes leave: they get MPI_COMM_NULL.
static MPI_Comm shrunk(MPI_Comm comm, int size) {
  MPI_Comm rest;
  MPI_Comm_split(comm, rank_in(comm) < size ? 0 : MPI_UNDEFINED, 0, &rest);
  MPI_Comm_disconnect(&comm);
  return rest;
}

// A newcomer joins the processes that have started it, and learns which phase comes next.
static MPI_Comm joined(MPI_Comm parents, int* next_phase) {
  MPI_Comm all;
  MPI_Intercomm_merge(parents, 1, &all);
  MPI_Comm_disconnect(&parents);
  MPI_Bcast(next_phase, 1, MPI_INT, 0, all);
  return all;
}

// The same steps on one process.
static double error_of(const double* rod) {
  static double old[cells + 2], new[cells + 2];
  start(old + 1);
  for (int i = 0; i < steps * phases; ++i) {
    step(old, new, cells);
    memcpy(old + 1, new + 1, cells * sizeof *old);
  }
  double most = 0;
  for (int i = 0; i < cells; ++i) most = fmax(most, fabs(rod[i] - old[i + 1]));
  return most;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  static double rod[cells];
  MPI_Comm parents, comm;
  int next_phase = 0;
  MPI_Comm_get_parent(&parents);
  if (parents == MPI_COMM_NULL) {
    start(rod);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  } else {
    comm = joined(parents, &next_phase);
  }
  for (; next_phase < phases && comm != MPI_COMM_NULL; ++next_phase) {
    while (size_of(comm) < sizes[next_phase]) comm = grown(comm, argv[0], next_phase);
    if (size_of(comm) > sizes[next_phase]) comm = shrunk(comm, sizes[next_phase]);
    if (comm == MPI_COMM_NULL) break;
    phase(comm, rod);
    if (rank_in(comm) == 0) printf("phase %d: %d steps on %d processes\n", next_phase + 1, steps, size_of(comm));
  }
  int right = 1;
  if (comm != MPI_COMM_NULL) {
    if (rank_in(comm) == 0) {
      const double error = error_of(rod);
      printf("the rod differs from that of one process by %g\n", error);
      right = error < 1e-12;
    }
    MPI_Comm_disconnect(&comm);
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
