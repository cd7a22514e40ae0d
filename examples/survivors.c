// SPDX-License-Identifier: BSD-3-Clause
// A stencil that survives: two of its ranks die, two new ones take their places, and the result is right.
//
// Heat flows round a ring of cells, which the ranks share. After every few steps each rank keeps a copy of its cells
// and gives one to its right neighbour. All ranks agree that everybody has its copies before the older copies are
// dropped. When ranks are lost, the others start as many anew, and all go back to the latest copies. The example bears
// the loss of any ranks that are not neighbours, one round of losses at a time: a loss during the repair ends the job.
//
//   mpiexec --keep-going -n 8 survivors
//   srun --mpi=pmix --kill-on-bad-exit=0 -n 8 survivors
#include <math.h>
#include <mpi-ext.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { cells = 50, steps_per_copy = 20, copies = 10, copy_of_deaths = 4, most_ranks = 4096 };
typedef struct {
  int number;          // copies that have been made before this one
  double own[cells];   // of this rank
  double left[cells];  // of the left neighbour
} Copy;

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
static int right_of(MPI_Comm comm) {
  return (rank_in(comm) + 1) % size_of(comm);
}
static int left_of(MPI_Comm comm) {
  return (rank_in(comm) + size_of(comm) - 1) % size_of(comm);
}

static double at_start(int cell) {
  return cell % 97 < 40 ? 100 : cell % 7;
}
static double next(double left, double own, double right) {
  return own + 0.25 * (left - 2 * own + right);
}

// Steps from a copy to the cells of the next one. Returns whether all messages have arrived.
static int compute(MPI_Comm comm, const Copy* from, double* to) {
  double old[cells + 2];
  memcpy(old + 1, from->own, sizeof from->own);
  for (int step = 0; step < steps_per_copy; ++step) {
    if (MPI_Sendrecv(old + 1, 1, MPI_DOUBLE, left_of(comm), 0, old + cells + 1, 1, MPI_DOUBLE, right_of(comm), 0, comm,
                     MPI_STATUS_IGNORE) != MPI_SUCCESS ||
        MPI_Sendrecv(old + cells, 1, MPI_DOUBLE, right_of(comm), 1, old, 1, MPI_DOUBLE, left_of(comm), 1, comm,
                     MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return 0;
    for (int i = 0; i < cells; ++i) to[i] = next(old[i], old[i + 1], old[i + 2]);
    memcpy(old + 1, to, sizeof from->own);
  }
  return 1;
}

// Gives the copy of the own cells to the right neighbour, and takes that of the left one.
static int keep_for_neighbour(MPI_Comm comm, Copy* copy) {
  return MPI_Sendrecv(copy->own, cells, MPI_DOUBLE, right_of(comm), 2, copy->left, cells, MPI_DOUBLE, left_of(comm), 2,
                      comm, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

// Whether all ranks have succeeded; the answer is the same at all that live. A rank that has failed revokes the
// communicator, so that no other one waits for its messages.
static int all_have_succeeded(MPI_Comm comm, int success) {
  if (!success) MPIX_Comm_revoke(comm);
  return MPIX_Comm_agree(comm, &success) == MPI_SUCCESS && success;
}

// The members of `comm` that live, and new processes with the numbers of those that are lost, in the old order.
// lost[rank]: whether this member is new.
static MPI_Comm repaired(MPI_Comm comm, char* program, int* lost) {
  const int size = size_of(comm), rank = rank_in(comm);
  MPI_Comm living, newcomers, all, ordered;
  MPI_Group before, after;
  MPIX_Comm_shrink(comm, &living);
  MPI_Comm_set_errhandler(living, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_group(comm, &before);
  MPI_Comm_group(living, &after);
  int number = 0;
  for (int each = 0; each < size; ++each) {
    int found;
    MPI_Group_translate_ranks(before, 1, &each, after, &found);
    lost[each] = found == MPI_UNDEFINED;
    number += lost[each];
  }
  MPI_Group_free(&before);
  MPI_Group_free(&after);
  if (rank_in(living) == 0) printf("%d of %d ranks are lost; as many are started\n", number, size);
  MPI_Comm_spawn(program, MPI_ARGV_NULL, number, MPI_INFO_NULL, 0, living, &newcomers, MPI_ERRCODES_IGNORE);
  MPI_Intercomm_merge(newcomers, 0, &all);  // the newcomers get the last ranks
  MPI_Bcast(lost, size, MPI_INT, 0, all);
  MPI_Comm_split(all, 0, rank, &ordered);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&living);
  MPI_Comm_free(&newcomers);
  MPI_Comm_free(&all);
  return ordered;
}

// What a newcomer does while the others are in repaired(). The i-th newcomer takes the i-th place that is free.
static MPI_Comm joined(MPI_Comm parents, int* lost) {
  MPI_Comm all, ordered;
  MPI_Intercomm_merge(parents, 1, &all);
  const int size = size_of(all);
  MPI_Bcast(lost, size, MPI_INT, 0, all);
  int place = 0;
  for (int earlier = rank_in(MPI_COMM_WORLD);; ++place)
    if (lost[place] && earlier-- == 0) break;
  MPI_Comm_split(all, 0, place, &ordered);
  MPI_Comm_free(&parents);
  MPI_Comm_free(&all);
  return ordered;
}

// Each newcomer gets the cells of its place from the right neighbour; then all have the copies that they had.
static void restore(MPI_Comm comm, const int* lost, Copy* copy) {
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  const int rank = rank_in(comm), right = right_of(comm), left = left_of(comm);
  if (lost[rank] && lost[right]) {
    fprintf(stderr, "ranks %d and %d are lost, and the copy of the first with them\n", rank, right);
    MPI_Abort(comm, 1);
  }
  if (lost[left]) MPI_Send(copy->left, cells, MPI_DOUBLE, left, 3, comm);
  if (lost[rank]) MPI_Recv(copy->own, cells, MPI_DOUBLE, right, 3, comm, MPI_STATUS_IGNORE);
  keep_for_neighbour(comm, copy);
  MPI_Allreduce(MPI_IN_PLACE, &copy->number, 1, MPI_INT, MPI_MAX, comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
}

// The same steps on one process.
static double error_of(const double* result, int count) {
  double* old = malloc((size_t)count * sizeof *old);
  double* new = malloc((size_t)count * sizeof *new);
  for (int i = 0; i < count; ++i) old[i] = at_start(i);
  for (int step = 0; step < steps_per_copy * copies; ++step) {
    for (int i = 0; i < count; ++i) new[i] = next(old[(i + count - 1) % count], old[i], old[(i + 1) % count]);
    memcpy(old, new, (size_t)count * sizeof *old);
  }
  double most = 0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(result[i] - old[i]));
  free(old);
  free(new);
  return most;
}

// Returns whether the cells of all ranks are right.
static int compare(MPI_Comm comm, const Copy* copy) {
  const int count = cells * size_of(comm);
  double* all = malloc((size_t)count * sizeof *all);
  int right = 1;
  MPI_Gather(copy->own, cells, MPI_DOUBLE, all, cells, MPI_DOUBLE, 0, comm);
  if (rank_in(comm) == 0) {
    const double error = error_of(all, count);
    printf("%d steps on %d ranks; they differ from those of one process by %g\n", steps_per_copy * copies,
           size_of(comm), error);
    right = error < 1e-12;
  }
  free(all);
  MPI_Bcast(&right, 1, MPI_INT, 0, comm);
  return right;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm parents, comm;
  Copy copy = {0}, new;
  int lost[most_ranks] = {0};
  MPI_Comm_get_parent(&parents);
  const int is_new = parents != MPI_COMM_NULL;
  if (is_new) {
    comm = joined(parents, lost);
    restore(comm, lost, &copy);
  } else {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (size_of(comm) > most_ranks) MPI_Abort(comm, 1);
    for (int i = 0; i < cells; ++i) copy.own[i] = at_start(rank_in(comm) * cells + i);
    keep_for_neighbour(comm, &copy);
  }
  while (copy.number < copies) {
    const int rank = rank_in(comm);
    if (!is_new && copy.number == copy_of_deaths && (rank == 2 || rank == 5)) raise(SIGKILL);
    new.number = copy.number + 1;
    if (all_have_succeeded(comm, compute(comm, &copy, new.own) && keep_for_neighbour(comm, &new))) {
      copy = new;
    } else {
      comm = repaired(comm, argv[0], lost);
      restore(comm, lost, &copy);
    }
  }
  const int right = compare(comm, &copy);
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return right ? 0 : 1;
}
