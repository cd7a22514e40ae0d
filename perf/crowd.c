// SPDX-License-Identifier: BSD-3-Clause
// Crowd: the cost if all ranks of one node communicate with each other. Measures the first exchange of 8 bytes between
// all pairs, which makes the connections, and the second one, which finds them; then barrier and allreduce; finally the
// memory that all this has taken, in MiB per rank. Times are those of the slowest rank.
//
// crowd_shared is the growth of the machine's shared memory (Shmem in /proc/meminfo), mapped or not; for this, run the
// program alone on the machine. crowd_pss is mapped memory and page tables; of a page that several processes map, each
// counts its share. Unlike crowd_shared it includes code, and memory that is shared through files on a disk.
#include "bench.h"

enum { message = 8, most_exchanges = 5 };

typedef struct Buffers {
  char* out;
  char* in;
  MPI_Request* requests;
} Buffers;

// A figure in KiB from a file of the kernel's; 0 where it does not say.
static long kernel_says(const char* path, const char* key) {
  char line[256];
  long kib = 0;
  FILE* file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    if (strncmp(line, key, strlen(key)) == 0) sscanf(line + strlen(key), "%ld", &kib);
  }
  if (file != NULL) fclose(file);
  return kib;
}

static void exchange(const Bench* bench, void* context, size_t bytes, int iterations) {
  const Buffers* buffers = context;
  for (int i = 0; i < iterations; ++i) {
    int under_way = 0;
    for (int step = 1; step < bench->ranks; ++step) {
      const int source = (bench->rank + bench->ranks - step) % bench->ranks;
      MPI_Irecv(buffers->in + (size_t)source * bytes, (int)bytes, MPI_BYTE, source, 1, MPI_COMM_WORLD,
                &buffers->requests[under_way++]);
    }
    for (int step = 1; step < bench->ranks; ++step) {
      MPI_Isend(buffers->out, (int)bytes, MPI_BYTE, (bench->rank + step) % bench->ranks, 1, MPI_COMM_WORLD,
                &buffers->requests[under_way++]);
    }
    MPI_Waitall(under_way, buffers->requests, MPI_STATUSES_IGNORE);
  }
}

static void barrier(const Bench* bench, void* context, size_t bytes, int iterations) {
  (void)bench, (void)context, (void)bytes;
  for (int i = 0; i < iterations; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(const Bench* bench, void* context, size_t bytes, int iterations) {
  (void)context, (void)bytes;
  for (int i = 0; i < iterations; ++i) {
    double mine = bench->rank, sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void exchanges(const Bench* bench, Buffers* buffers) {
  double values[most_exchanges];
  const int count = bench->batches < most_exchanges ? bench->batches : most_exchanges;
  Bench one = *bench;
  one.batches = 1;
  values[0] = 1e3 * bench_batch(bench, exchange, buffers, message, 1);
  bench_print(&one, "crowd_first", 0, values, "ms");
  one.batches = count;
  for (int i = 0; i < count; ++i) values[i] = 1e3 * bench_batch(bench, exchange, buffers, message, 1);
  bench_print(&one, "crowd_second", 0, values, "ms");
}

static void memory(const Bench* bench, long shared_before) {
  long least_before = 0, pss_sum = 0;
  MPI_Allreduce(&shared_before, &least_before, 1, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
  const long shared = kernel_says("/proc/meminfo", "Shmem:") - least_before;
  const long pss = kernel_says("/proc/self/smaps_rollup", "Pss:") + kernel_says("/proc/self/status", "VmPTE:");
  MPI_Allreduce(&pss, &pss_sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  const double per_rank = 1.0 / 1024 / bench->ranks;
  Bench once = *bench;
  once.batches = 1;
  bench_print(&once, "crowd_shared", 0, (double[]){(double)shared * per_rank}, "MiB");
  bench_print(&once, "crowd_pss", 0, (double[]){(double)pss_sum * per_rank}, "MiB");
}

int main(int argc, char** argv) {
  const long shared_before = kernel_says("/proc/meminfo", "Shmem:");
  Bench bench = bench_init(&argc, &argv, "crowd", 0, (BenchSizes){message, message, 2});
  bench.slowest_rank = 1;
  const size_t ranks = (size_t)bench.ranks;
  Buffers buffers = {bench_buffer(message), bench_buffer(message * ranks),
                     bench_buffer(2 * ranks * sizeof(MPI_Request))};
  exchanges(&bench, &buffers);
  bench_point(&bench, "crowd_barrier", barrier, NULL, 0, bench_microseconds, "us");
  bench_point(&bench, "crowd_allreduce", allreduce, NULL, message, bench_microseconds, "us");
  memory(&bench, shared_before);
  free(buffers.out);
  free(buffers.in);
  free(buffers.requests);
  MPI_Finalize();
  return 0;
}
