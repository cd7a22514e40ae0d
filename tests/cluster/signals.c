/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts MPI, says so, and waits for a signal, of which it says the number. With an argument it ends itself with it. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void note(int number) {
  caught = number;
}

int main(int argc, char** argv) {
  int rank;
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  signal(SIGUSR1, note);
  signal(SIGTERM, note);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  sigprocmask(SIG_BLOCK, &all, NULL); /* none is lost between the look and the wait */
  printf("ready %d\n", rank);
  fflush(stdout);
  if (argc > 1 && rank == atoi(argv[1])) kill(getpid(), SIGKILL);
  while (caught == 0) sigsuspend(&none);
  printf("caught %d by %d\n", (int)caught, rank);
  return MPI_Finalize();
}
