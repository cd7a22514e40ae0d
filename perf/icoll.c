// SPDX-License-Identifier: BSD-3-Clause
// Non-blocking collectives: the time of a call and its MPI_Wait, compared with that of the blocking form, in batches
// that alternate; and the part of it that passes while the program computes (overlap). For each operation or for the
// one that --mode names. With --mode idle it measures every operation, and the computation leaves the core to others,
// like one on an accelerator. Sizes are those of coll.c.
//
// Overlap is defined as in OSU's benchmarks: between the start of the operation and MPI_Wait the program computes,
// without calling MPI, for as long as the operation takes alone. Overlap is 100 % if both together take no longer than
// the computation.
#include <sys/prctl.h>
#include <time.h>

#include "bench.h"

typedef struct Buffers {
  char* send;
  char* receive;
  MPI_Request request;
} Buffers;

// Both forms of an operation. The root is the last rank; reductions add floats.
#define FORMS(name, function, ...)                        \
  static void name(Buffers* b, int bytes, int ranks) {    \
    (void)b, (void)bytes, (void)ranks;                    \
    MPI_##function(__VA_ARGS__ MPI_COMM_WORLD);           \
  }                                                       \
  static void i##name(Buffers* b, int bytes, int ranks) { \
    (void)b, (void)bytes, (void)ranks;                    \
    MPI_I##name(__VA_ARGS__ MPI_COMM_WORLD, &b->request); \
  }
FORMS(barrier, Barrier, )
FORMS(bcast, Bcast, b->send, bytes, MPI_BYTE, ranks - 1, )
FORMS(gather, Gather, b->send, bytes, MPI_BYTE, b->receive, bytes, MPI_BYTE, ranks - 1, )
FORMS(scatter, Scatter, b->send, bytes, MPI_BYTE, b->receive, bytes, MPI_BYTE, ranks - 1, )
FORMS(allgather, Allgather, b->send, bytes, MPI_BYTE, b->receive, bytes, MPI_BYTE, )
FORMS(alltoall, Alltoall, b->send, bytes, MPI_BYTE, b->receive, bytes, MPI_BYTE, )
FORMS(reduce, Reduce, b->send, b->receive, bytes / 4, MPI_FLOAT, MPI_SUM, ranks - 1, )
FORMS(allreduce, Allreduce, b->send, b->receive, bytes / 4, MPI_FLOAT, MPI_SUM, )
FORMS(reduce_scatter_block, Reduce_scatter_block, b->send, b->receive, bytes / 4, MPI_FLOAT, MPI_SUM, )
FORMS(scan, Scan, b->send, b->receive, bytes / 4, MPI_FLOAT, MPI_SUM, )

typedef struct Operation {
  const char* name;
  void (*blocking)(Buffers* buffers, int bytes, int ranks);
  void (*begin)(Buffers* buffers, int bytes, int ranks);
  int blocks;  // whether a buffer has a block for every rank
} Operation;

static const Operation operations[] = {
    {"barrier", barrier, ibarrier, 0},
    {"bcast", bcast, ibcast, 0},
    {"gather", gather, igather, 1},
    {"scatter", scatter, iscatter, 1},
    {"allgather", allgather, iallgather, 1},
    {"alltoall", alltoall, ialltoall, 1},
    {"reduce", reduce, ireduce, 0},
    {"allreduce", allreduce, iallreduce, 0},
    {"reduce_scatter_block", reduce_scatter_block, ireduce_scatter_block, 1},
    {"scan", scan, iscan, 0},
};
enum { operation_count = sizeof operations / sizeof operations[0] };

typedef struct Measured {
  const Operation* operation;
  Buffers buffers;
  int idle;                // whether the computation needs no core
  double compute_seconds;  // between the begin of an operation and its end
  double computed;         // what that took in the last batch, all operations together
} Measured;

static void compute(double seconds, int idle) {
  static volatile double value = 1;
  if (idle) {
    nanosleep(
        &(struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)},
        NULL);
    return;
  }
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
    for (int i = 0; i < 20; ++i) value = value * 1.000001 + 1e-9;
  }
}

static void run_blocking(const Bench* bench, void* context, size_t bytes, int iterations) {
  Measured* measured = context;
  for (int i = 0; i < iterations; ++i) measured->operation->blocking(&measured->buffers, (int)bytes, bench->ranks);
}

static void run_nonblocking(const Bench* bench, void* context, size_t bytes, int iterations) {
  Measured* measured = context;
  for (int i = 0; i < iterations; ++i) {
    measured->operation->begin(&measured->buffers, (int)bytes, bench->ranks);
    MPI_Wait(&measured->buffers.request, MPI_STATUS_IGNORE);
  }
}

static void run_computing(const Bench* bench, void* context, size_t bytes, int iterations) {
  Measured* measured = context;
  measured->computed = 0;
  for (int i = 0; i < iterations; ++i) {
    measured->operation->begin(&measured->buffers, (int)bytes, bench->ranks);
    const double start = MPI_Wtime();
    compute(measured->compute_seconds, measured->idle);
    measured->computed += MPI_Wtime() - start;
    MPI_Wait(&measured->buffers.request, MPI_STATUS_IGNORE);
  }
}

static void measure(const Bench* bench, Measured* measured, size_t bytes) {
  static double blocking[bench_max_batches], begun[bench_max_batches], overlap[bench_max_batches];
  char name[40];
  const int iterations = bench_calibrate(bench, run_blocking, measured, bytes);
  bench_batch(bench, run_nonblocking, measured, bytes, iterations);
  for (int batch = 0; batch < bench->batches; ++batch) {
    const double both[2] = {bench_batch(bench, run_blocking, measured, bytes, iterations) / iterations,
                            bench_batch(bench, run_nonblocking, measured, bytes, iterations) / iterations};
    blocking[batch] = bench_microseconds(bytes, both[0]);
    begun[batch] = bench_microseconds(bytes, both[1]);
    measured->compute_seconds = both[1];
    const double seconds = bench_batch(bench, run_computing, measured, bytes, iterations) / iterations;
    const double visible = (seconds - measured->computed / iterations) / both[1];
    overlap[batch] = visible > 1 ? 0 : 100 * (1 - visible);
  }
  const double with_blocking = bench_print(bench, measured->operation->name, bytes, blocking, "us");
  snprintf(name, sizeof name, "i%s", measured->operation->name);
  const double with_wait = bench_print(bench, name, bytes, begun, "us");
  bench_print(bench, "  overlap", bytes, overlap, "%");
  if (bench->rank == 0) printf("%-16s %8zu %12.3f\n", "  ratio", bytes, with_wait / with_blocking);
}

int main(int argc, char** argv) {
  Bench bench = bench_init(&argc, &argv, "icoll", 0, (BenchSizes){4, 1 << 20, 4});
  bench.slowest_rank = 1;
  const size_t ranks = (size_t)bench.ranks;
  Measured measured = {.operation = NULL, .idle = bench.mode != NULL && strcmp(bench.mode, "idle") == 0};
  if (measured.idle) {
    bench.mode = NULL;
    prctl(PR_SET_TIMERSLACK, 1000UL);  // nanoseconds: the computation is no longer than asked for
  }
  int known = bench.mode == NULL;
  for (int i = 0; i < operation_count; ++i) {
    const Operation* operation = &operations[i];
    if (bench.mode != NULL && strcmp(bench.mode, operation->name) != 0) continue;
    known = 1;
    measured.operation = operation;
    const size_t bytes = bench_largest(&bench) * (operation->blocks ? ranks : 1);
    measured.buffers.send = bench_buffer(bytes);
    measured.buffers.receive = bench_buffer(bytes);
    if (operation->begin == ibarrier) {
      measure(&bench, &measured, 0);
    } else {
      for (int size = 0; size < bench.size_count; ++size) measure(&bench, &measured, bench.sizes[size]);
    }
    free(measured.buffers.send);
    free(measured.buffers.receive);
  }
  if (!known) bench_usage_error(&bench, "--mode takes idle or a collective such as allreduce, not ", bench.mode);
  MPI_Finalize();
  return 0;
}
