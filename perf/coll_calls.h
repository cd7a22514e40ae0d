// SPDX-License-Identifier: BSD-3-Clause
// The collective calls that coll.c and algorithms.c time. The size is that of the vector of a broadcast or reduction,
// and of one rank's block in the other operations. The root changes with each call, downwards: so no rank can run ahead
// of the others, and the next root is a distant leaf of the usual trees.
#ifndef BOWLINE_PERF_COLL_CALLS_H
#define BOWLINE_PERF_COLL_CALLS_H

#include "bench.h"

typedef struct Buffers {
  MPI_Comm comm;  // whose members call
  char* send;
  char* receive;
  int* counts;  // of each rank's block, all the same
  int* places;  // where it begins
  int root;     // of the next call
} Buffers;

static int next_root(const Bench* bench, Buffers* buffers) {
  const int root = buffers->root;
  buffers->root = root == 0 ? bench->ranks - 1 : root - 1;
  return root;
}

static void call_barrier(const Bench* bench, Buffers* b, int bytes) {
  (void)bench, (void)bytes;
  MPI_Barrier(b->comm);
}
static void call_bcast(const Bench* bench, Buffers* b, int bytes) {
  MPI_Bcast(b->send, bytes, MPI_BYTE, next_root(bench, b), b->comm);
}
static void call_gather(const Bench* bench, Buffers* b, int bytes) {
  MPI_Gather(b->send, bytes, MPI_BYTE, b->receive, bytes, MPI_BYTE, next_root(bench, b), b->comm);
}
static void call_gatherv(const Bench* bench, Buffers* b, int bytes) {
  const int root = next_root(bench, b);
  MPI_Gatherv(b->send, bytes, MPI_BYTE, b->receive, b->counts, b->places, MPI_BYTE, root, b->comm);
}
static void call_scatter(const Bench* bench, Buffers* b, int bytes) {
  MPI_Scatter(b->send, bytes, MPI_BYTE, b->receive, bytes, MPI_BYTE, next_root(bench, b), b->comm);
}
static void call_scatterv(const Bench* bench, Buffers* b, int bytes) {
  const int root = next_root(bench, b);
  MPI_Scatterv(b->send, b->counts, b->places, MPI_BYTE, b->receive, bytes, MPI_BYTE, root, b->comm);
}
static void call_allgather(const Bench* bench, Buffers* b, int bytes) {
  (void)bench;
  MPI_Allgather(b->send, bytes, MPI_BYTE, b->receive, bytes, MPI_BYTE, b->comm);
}
static void call_allgatherv(const Bench* bench, Buffers* b, int bytes) {
  (void)bench;
  MPI_Allgatherv(b->send, bytes, MPI_BYTE, b->receive, b->counts, b->places, MPI_BYTE, b->comm);
}
static void call_alltoall(const Bench* bench, Buffers* b, int bytes) {
  (void)bench;
  MPI_Alltoall(b->send, bytes, MPI_BYTE, b->receive, bytes, MPI_BYTE, b->comm);
}
static void call_alltoallv(const Bench* bench, Buffers* b, int bytes) {
  (void)bench, (void)bytes;
  MPI_Alltoallv(b->send, b->counts, b->places, MPI_BYTE, b->receive, b->counts, b->places, MPI_BYTE, b->comm);
}
static void call_reduce(const Bench* bench, Buffers* b, int bytes) {
  MPI_Reduce(b->send, b->receive, bytes / 4, MPI_FLOAT, MPI_SUM, next_root(bench, b), b->comm);
}
static void call_allreduce(const Bench* bench, Buffers* b, int bytes) {
  (void)bench;
  MPI_Allreduce(b->send, b->receive, bytes / 4, MPI_FLOAT, MPI_SUM, b->comm);
}
static void call_reduce_scatter_block(const Bench* bench, Buffers* b, int bytes) {
  (void)bench;
  MPI_Reduce_scatter_block(b->send, b->receive, bytes / 4, MPI_FLOAT, MPI_SUM, b->comm);
}
static void call_reduce_scatter(const Bench* bench, Buffers* b, int bytes) {
  (void)bench, (void)bytes;
  // The counts are of bytes, so the elements are too.
  MPI_Reduce_scatter(b->send, b->receive, b->counts, MPI_UINT8_T, MPI_BOR, b->comm);
}
static void call_scan(const Bench* bench, Buffers* b, int bytes) {
  (void)bench;
  MPI_Scan(b->send, b->receive, bytes / 4, MPI_FLOAT, MPI_SUM, b->comm);
}
static void call_exscan(const Bench* bench, Buffers* b, int bytes) {
  (void)bench;
  MPI_Exscan(b->send, b->receive, bytes / 4, MPI_FLOAT, MPI_SUM, b->comm);
}

typedef struct Operation {
  const char* name;
  void (*call)(const Bench* bench, Buffers* buffers, int bytes);
  int blocks;  // whether a buffer has a block for every rank
} Operation;

static const Operation operations[] = {
    {"barrier", call_barrier, 0},
    {"bcast", call_bcast, 0},
    {"gather", call_gather, 1},
    {"gatherv", call_gatherv, 1},
    {"scatter", call_scatter, 1},
    {"scatterv", call_scatterv, 1},
    {"allgather", call_allgather, 1},
    {"allgatherv", call_allgatherv, 1},
    {"alltoall", call_alltoall, 1},
    {"alltoallv", call_alltoallv, 1},
    {"reduce", call_reduce, 0},
    {"allreduce", call_allreduce, 0},
    {"reduce_scatter_block", call_reduce_scatter_block, 1},
    {"reduce_scatter", call_reduce_scatter, 1},
    {"scan", call_scan, 0},
    {"exscan", call_exscan, 0},
};
enum { operation_count = sizeof operations / sizeof operations[0] };

// NULL if there is none of this name.
static inline const Operation* find_operation(const char* name) {
  for (int i = 0; i < operation_count; ++i) {
    if (strcmp(operations[i].name, name) == 0) return &operations[i];
  }
  return NULL;
}

static inline Buffers make_buffers(const Bench* bench, const Operation* operation) {
  const size_t ranks = (size_t)bench->ranks;
  const size_t bytes = bench_largest(bench) * (operation->blocks ? ranks : 1);
  return (Buffers){.comm = MPI_COMM_WORLD,
                   .send = bench_buffer(bytes),
                   .receive = bench_buffer(bytes),
                   .counts = malloc(ranks * sizeof(int)),
                   .places = malloc(ranks * sizeof(int))};
}

static inline void free_buffers(Buffers* buffers) {
  free(buffers->send);
  free(buffers->receive);
  free(buffers->counts);
  free(buffers->places);
}

// What is measured: calls of one operation with these buffers.
typedef struct Measured {
  const Operation* operation;
  Buffers buffers;
} Measured;

// Before the first call with blocks of this size.
static inline void set_size(const Bench* bench, Measured* measured, size_t bytes) {
  for (int rank = 0; rank < bench->ranks; ++rank) {
    measured->buffers.counts[rank] = (int)bytes;
    measured->buffers.places[rank] = rank * (int)bytes;
  }
  measured->buffers.root = 0;
}

static inline void calls(const Bench* bench, void* context, size_t bytes, int iterations) {
  Measured* measured = context;
  for (int i = 0; i < iterations; ++i) measured->operation->call(bench, &measured->buffers, (int)bytes);
}

#endif
