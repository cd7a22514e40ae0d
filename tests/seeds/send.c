// SPDX-License-Identifier: BSD-3-Clause
// Does MPI_Send end before the receive begins? Rank 0 sends as many ints as the first argument says; rank 1 receives
// them.
//
// The notes let the receiver sleep. Here the ranks tell each other what happened through empty files in the directory
// that the second argument names, beside MPI, and every event is printed with its time, so that the order is proven:
//   send.c 100 DIR before    rank 1 begins to receive only after rank 0 has said that its MPI_Send returned
//   send.c 10000 DIR after   rank 1 waits for a while for that word in vain, then begins to receive
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char mark[4096];  // the file that says "MPI_Send returned"

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

// Waits until the sender has returned from MPI_Send, at most so many milliseconds; returns whether it has.
static int sent_within(int milliseconds) {
  const long long end = now() + milliseconds * 1000000LL;
  while (access(mark, F_OK) != 0) {
    if (now() > end) return 0;
    usleep(1000);
  }
  return 1;
}

static void say(int rank, const char* event) {
  printf("%lld %d: %s\n", now(), rank, event);
}

static void sender(int* numbers, int count) {
  for (int i = 0; i < count; ++i) numbers[i] = 3 * i;
  say(0, "send started");
  MPI_Send(numbers, count, MPI_INT, 1, 0, MPI_COMM_WORLD);
  say(0, "send finished");
  FILE* file = fopen(mark, "w");
  if (file) fclose(file);
}

static int receiver(int* numbers, int count, int expect_before) {
  const int sent = sent_within(expect_before ? 20000 : 300);
  say(1, sent ? "saw the send finished" : "saw no end of the send");
  say(1, "recv started");
  MPI_Recv(numbers, count, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  say(1, "recv finished");
  for (int i = 0; i < count; ++i) {
    if (numbers[i] != 3 * i) return 1;
  }
  return 0;
}

int main(int argc, char* argv[]) {
  if (argc != 4) {
    fprintf(stderr, "usage: send COUNT DIRECTORY before|after\n");
    return 2;
  }
  const int count = atoi(argv[1]);
  snprintf(mark, sizeof mark, "%s/sent", argv[2]);

  int rank, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int* numbers = calloc((size_t)count, sizeof *numbers);
  if (rank == 0) sender(numbers, count);
  if (rank == 1) wrong = receiver(numbers, count, strcmp(argv[3], "before") == 0);
  free(numbers);
  MPI_Finalize();
  return wrong;
}
