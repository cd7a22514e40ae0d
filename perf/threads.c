// SPDX-License-Identifier: BSD-3-Clause
// Threads: the message rate from rank 0 to rank 1 with one thread (rate_one_thread), and with two threads in each rank,
// in which each pair of threads has its own communicator (rate_two_threads). Batches of both alternate; thread_scaling
// is the median of their ratios. Two ranks of two threads need four cores to show the gain from threads.
#include <pthread.h>

#include "bench.h"

enum { most_threads = 2 };

typedef struct Worker {
  int rank;
  int bytes;
  int iterations;
  MPI_Comm comm;
  char* buffer;
  MPI_Request requests[bench_window];
} Worker;

typedef struct Team {
  int threads;
  Worker workers[most_threads];
} Team;

static void* send_windows(void* argument) {
  Worker* worker = argument;
  const size_t bytes = (size_t)worker->bytes;
  for (int i = 0; i < worker->iterations; ++i) {
    for (int k = 0; k < bench_window; ++k) {
      char* place = worker->buffer + (size_t)k * bytes;
      if (worker->rank == 0) {
        MPI_Isend(place, worker->bytes, MPI_BYTE, 1, 1, worker->comm, &worker->requests[k]);
      } else {
        MPI_Irecv(place, worker->bytes, MPI_BYTE, 0, 1, worker->comm, &worker->requests[k]);
      }
    }
    MPI_Waitall(bench_window, worker->requests, MPI_STATUSES_IGNORE);
    if (worker->rank == 0) {
      MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, worker->comm, MPI_STATUS_IGNORE);
    } else {
      MPI_Send(NULL, 0, MPI_BYTE, 0, 2, worker->comm);
    }
  }
  return NULL;
}

// The calling thread is the last of the team, so that one thread alone is measured without starting any.
static void run_team(const Bench* bench, void* context, size_t bytes, int iterations) {
  Team* team = context;
  pthread_t others[most_threads];
  for (int t = 0; t < team->threads; ++t) {
    team->workers[t].bytes = (int)bytes;
    team->workers[t].iterations = iterations;
  }
  for (int t = 0; t + 1 < team->threads; ++t) {
    if (pthread_create(&others[t], NULL, send_windows, &team->workers[t]) == 0) continue;
    fprintf(stderr, "%s: no thread could be started: raise the limit on processes (ulimit -u)\n", bench->name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  send_windows(&team->workers[team->threads - 1]);
  for (int t = 0; t + 1 < team->threads; ++t) pthread_join(others[t], NULL);
}

static double rate(const Bench* bench, Team* team, size_t bytes, int iterations) {
  return team->threads * bench_window * iterations / bench_batch(bench, run_team, team, bytes, iterations) * 1e-6;
}

static void compare_teams(const Bench* bench, Team teams[most_threads], size_t bytes) {
  static double rates[most_threads][bench_max_batches], ratios[bench_max_batches];
  int iterations[most_threads];
  for (int t = 0; t < most_threads; ++t) iterations[t] = bench_calibrate(bench, run_team, &teams[t], bytes);
  for (int batch = 0; batch < bench->batches; ++batch) {
    for (int t = 0; t < most_threads; ++t) rates[t][batch] = rate(bench, &teams[t], bytes, iterations[t]);
    ratios[batch] = rates[1][batch] / rates[0][batch];
  }
  bench_print(bench, "rate_one_thread", bytes, rates[0], "M/s");
  bench_print(bench, "rate_two_threads", bytes, rates[1], "M/s");
  bench_print(bench, "thread_scaling", bytes, ratios, "x");
}

int main(int argc, char** argv) {
  Bench bench = bench_init_thread(&argc, &argv, "threads", 2, (BenchSizes){8, 8, 2}, MPI_THREAD_MULTIPLE);
  static Team teams[most_threads];
  bench.careful = 1;  // threads without cores of their own may wait for the end of each other's time slices
  for (int t = 0; t < most_threads; ++t) {
    Worker worker = {.rank = bench.rank, .buffer = bench_buffer(bench_largest(&bench) * bench_window)};
    MPI_Comm_dup(MPI_COMM_WORLD, &worker.comm);
    teams[t].threads = t + 1;
    for (int of = t; of < most_threads; ++of) teams[of].workers[t] = worker;
  }
  for (int i = 0; i < bench.size_count; ++i) compare_teams(&bench, teams, bench.sizes[i]);
  for (int t = 0; t < most_threads; ++t) {
    MPI_Comm_free(&teams[t].workers[t].comm);
    free(teams[t].workers[t].buffer);
  }
  MPI_Finalize();
  return 0;
}
