// SPDX-License-Identifier: BSD-3-Clause
// The speed of this machine without any MPI: two pinned processes that bounce one cache line, and memcpy within one
// process. `raw` measures everything; `raw bounce` only the bounce, in a few milliseconds.
#define _GNU_SOURCE
#include "raw.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { bounces = 5000, line_bytes = 64 };

// Pins the caller to the index-th of the cores it may use.
static void pin_to(int index) {
  static cpu_set_t allowed;
  static int known = 0;
  if (!known && sched_getaffinity(0, sizeof allowed, &allowed) != 0) fail("raw", "sched_getaffinity");
  known = 1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || index-- > 0) continue;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) fail("raw", "sched_setaffinity");
    return;
  }
  fprintf(stderr,
          "raw: the cache-line bounce needs two cores, but this process may use only one: widen its affinity\n");
  exit(1);
}

static void wait_for(const _Atomic uint64_t* line, uint64_t value) {
  while (atomic_load_explicit(line, memory_order_acquire) != value) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
  }
}

// The child answers every odd number in `there` with the next even one in `back`; the parent times that. With one line
// for both directions whoever has read the line also owns it and answers at once; with a line for each direction, as
// two one-way channels have, the answering side must first get its line back from the one that polls it.
static void bounce(const char* name, size_t bytes_apart) {
  char* memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("raw", "mmap");
  _Atomic uint64_t* there = (_Atomic uint64_t*)memory;
  _Atomic uint64_t* back = (_Atomic uint64_t*)(memory + bytes_apart);
  const uint64_t total = (uint64_t)bounces * (batches + 1);
  const pid_t child = fork();
  if (child < 0) fail("raw", "fork");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin_to(1);
    for (uint64_t i = 0; i < total; ++i) {
      wait_for(there, 2 * i + 1);
      atomic_store_explicit(back, 2 * i + 2, memory_order_release);
    }
    _exit(0);
  }
  pin_to(0);  // not before: the child would begin on a core that this process never leaves to it at real-time priority
  double microseconds[batches];
  uint64_t i = 0;
  for (int batch = -1; batch < batches; ++batch) {  // batch -1 warms up
    const double start = seconds_now();
    for (int k = 0; k < bounces; ++k, ++i) {
      atomic_store_explicit(there, 2 * i + 1, memory_order_release);
      wait_for(back, 2 * i + 2);
    }
    if (batch >= 0) microseconds[batch] = (seconds_now() - start) / bounces / 2 * 1e6;
  }
  waitpid(child, NULL, 0);
  munmap(memory, 4096);
  print_point(name, line_bytes, microseconds, "us");
}

static void copy(size_t bytes) {
  char* from = aligned_alloc(4096, bytes);
  char* to = aligned_alloc(4096, bytes);
  if (from == NULL || to == NULL) fail("raw", "aligned_alloc");
  memset(from, 1, bytes);
  memset(to, 2, bytes);
  const int copies = (int)((64u << 20) / bytes);
  double megabytes_per_second[batches];
  for (int batch = -1; batch < batches; ++batch) {
    const double start = seconds_now();
    for (int k = 0; k < copies; ++k) {
      memcpy(to, from, bytes);
      // The compiler must believe that both buffers are used in between, or it drops the copy or makes a memset of it.
      __asm__ volatile("" : : "r"(to), "r"(from) : "memory");
    }
    if (batch >= 0) megabytes_per_second[batch] = (double)bytes * copies / (seconds_now() - start) * 1e-6;
  }
  free(from);
  free(to);
  print_point("memcpy", bytes, megabytes_per_second, "MB/s");
}

int main(int argc, char** argv) {
  const int only_bounce = argc == 2 && strcmp(argv[1], "bounce") == 0;
  if (argc > 1 && !only_bounce) {
    fprintf(stderr, "raw: the only argument is 'bounce', not '%s'\n", argv[1]);
    return 2;
  }
  bounce("bounce", 0);
  if (only_bounce) return 0;
  bounce("bounce_pair", 1024);
  copy(64 << 10);
  copy(1 << 20);
  return 0;
}
