// SPDX-License-Identifier: BSD-3-Clause
// The least cost of an exchange of blocks between all processes of a node if each block is copied once. Uses no MPI:
// all processes call process_vm_readv at once, copy their own block with memcpy, and meet in a barrier at the end of
// each round.
//
//   copy_once PROCESSES BYTES    BYTES: length of a block; prints the median of the batches in microseconds per round
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "raw.h"

enum { most_processes = 64 };

typedef struct {
  atomic_int arrived;
  atomic_int rounds;
  atomic_int failed;
  pid_t process[most_processes];
  char* blocks[most_processes];  // where each has what it sends, in its own memory
} Shared;

// Yields while it waits: there may be more processes than cores. Ends the process if another one has failed.
static void meet(Shared* shared, int processes) {
  const int round = atomic_load(&shared->rounds);
  if (atomic_fetch_add(&shared->arrived, 1) == processes - 1) {
    atomic_store(&shared->arrived, 0);
    atomic_store(&shared->rounds, round + 1);
    return;
  }
  while (atomic_load(&shared->rounds) == round) {
    if (atomic_load(&shared->failed)) exit(1);
    sched_yield();
  }
}

static void exchange(Shared* shared, int processes, int me, size_t bytes, char* into) {
  for (int step = 0; step < processes; ++step) {
    const int other = (me + step) % processes;
    char* const theirs = shared->blocks[other] + (size_t)me * bytes;
    char* const mine = into + (size_t)other * bytes;
    if (other == me) {
      memcpy(mine, theirs, bytes);
      continue;
    }
    const struct iovec local = {mine, bytes}, remote = {theirs, bytes};
    if (process_vm_readv(shared->process[other], &local, 1, &remote, 1, 0) == (ssize_t)bytes) continue;
    atomic_store(&shared->failed, 1);
    fail("copy_once", "process_vm_readv");
  }
  meet(shared, processes);
}

static void run(Shared* shared, int processes, int me, size_t bytes) {
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // refused where nothing forbids it anyway
  char* const from = aligned_alloc(4096, ((size_t)processes * bytes + 4095) / 4096 * 4096);
  char* const into = aligned_alloc(4096, ((size_t)processes * bytes + 4095) / 4096 * 4096);
  if (from == NULL || into == NULL) fail("copy_once", "aligned_alloc");
  memset(from, me + 1, (size_t)processes * bytes);
  memset(into, 0, (size_t)processes * bytes);
  shared->process[me] = getpid();
  shared->blocks[me] = from;
  meet(shared, processes);
  const size_t moved = (size_t)processes * (size_t)processes * bytes;
  const int rounds = moved >= (64u << 20) ? 2 : (int)((64u << 20) / moved) + 1;
  double times[batches];
  for (int batch = -1; batch < batches; ++batch) {  // batch -1 warms up
    const double start = seconds_now();
    for (int round = 0; round < rounds; ++round) exchange(shared, processes, me, bytes, into);
    if (batch >= 0) times[batch] = 1e6 * (seconds_now() - start) / rounds;
  }
  for (int other = 0; other < processes; ++other) {
    if (into[((size_t)other + 1) * bytes - 1] != (char)(other + 1)) {
      fprintf(stderr, "copy_once: the block of process %d is wrong\n", other);
      exit(1);
    }
  }
  if (me != 0) exit(0);
  print_point("copy_once", bytes, times, "us");
  exit(0);
}

int main(int argc, char** argv) {
  const int processes = argc == 3 ? atoi(argv[1]) : 0;
  const long bytes = argc == 3 ? atol(argv[2]) : 0;
  if (processes < 1 || processes > most_processes || bytes < 1 || bytes > (64 << 20)) {
    fprintf(stderr, "copy_once: give the number of processes, 1 to %d, and the bytes of a block, 1 to %d\n",
            most_processes, 64 << 20);
    return 2;
  }
  Shared* shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) fail("copy_once", "mmap");
  for (int me = 0; me < processes; ++me) {
    const pid_t child = fork();
    if (child < 0) fail("copy_once", "fork");
    if (child == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      run(shared, processes, me, (size_t)bytes);
    }
  }
  for (int status = 0; wait(&status) > 0;) {
    if (status != 0) atomic_store(&shared->failed, 1);
  }
  return atomic_load(&shared->failed);
}
