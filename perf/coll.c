// SPDX-License-Identifier: BSD-3-Clause
// Collectives: time of one blocking call in a row of many, for each operation or for the one that --mode names.
#include "coll_calls.h"

static void measure(const Bench* bench, Measured* measured, size_t bytes) {
  set_size(bench, measured, bytes);
  bench_point(bench, measured->operation->name, calls, measured, bytes, bench_microseconds, "us");
}

int main(int argc, char** argv) {
  const Bench bench = bench_init(&argc, &argv, "coll", 0, (BenchSizes){4, 4 << 20, 2});
  int known = bench.mode == NULL;
  for (int i = 0; i < operation_count; ++i) {
    const Operation* operation = &operations[i];
    if (bench.mode != NULL && strcmp(bench.mode, operation->name) != 0) continue;
    known = 1;
    Measured measured = {operation, make_buffers(&bench, operation)};
    if (operation->call == call_barrier) {
      measure(&bench, &measured, 0);
    } else {
      for (int size = 0; size < bench.size_count; ++size) measure(&bench, &measured, bench.sizes[size]);
    }
    free_buffers(&measured.buffers);
  }
  if (!known) bench_usage_error(&bench, "--mode takes a collective such as allreduce or gatherv, not ", bench.mode);
  MPI_Finalize();
  return 0;
}
