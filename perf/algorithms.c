// SPDX-License-Identifier: BSD-3-Clause
// Compares several ways to execute the collective that --mode names. They take turns within one job, so that
// disturbances of the machine affect all alike. Each --rule gives its own communicator the hint bowline_collectives; an
// empty rule sets no hint. Each line of output: `sample`, number of the rule, size, and the microseconds of one call in
// each batch. The n-th batches of all rules were timed one after the other. perf/tune runs this program.
#include "coll_calls.h"

enum { most_rules = 100 };

// The operands of --rule, which are taken out of the arguments.
static int take_rules(int* argc, char** argv, const char** rules) {
  int count = 0, kept = 1;
  for (int i = 1; i < *argc; ++i) {
    if (strcmp(argv[i], "--rule") == 0 && i + 1 < *argc && count < most_rules) {
      rules[count++] = argv[++i];
    } else {
      argv[kept++] = argv[i];
    }
  }
  *argc = kept;
  return count;
}

static MPI_Comm with_rule(const char* rule) {
  MPI_Comm made;
  MPI_Info info;
  MPI_Info_create(&info);
  if (*rule != '\0') MPI_Info_set(info, "bowline_collectives", rule);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made);
  MPI_Info_free(&info);
  return made;
}

// All rules at one size. `times` has room for the batches of all of them.
static void measure(const Bench* bench, Measured* measured, const MPI_Comm* comms, int rules, size_t bytes,
                    double* times) {
  int iterations[most_rules];
  set_size(bench, measured, bytes);
  for (int rule = 0; rule < rules; ++rule) {
    measured->buffers.comm = comms[rule];
    iterations[rule] = bench_calibrate(bench, calls, measured, bytes);
  }
  for (int batch = 0; batch < bench->batches; ++batch) {
    for (int turn = 0; turn < rules; ++turn) {
      const int rule = (batch + turn) % rules;
      measured->buffers.comm = comms[rule];
      const double seconds = bench_batch(bench, calls, measured, bytes, iterations[rule]);
      times[rule * bench->batches + batch] = bench_microseconds(bytes, seconds / iterations[rule]);
    }
  }
  if (bench->rank != 0) return;
  for (int rule = 0; rule < rules; ++rule) {
    printf("sample %d %zu", rule, bytes);
    for (int batch = 0; batch < bench->batches; ++batch) printf(" %.4f", times[rule * bench->batches + batch]);
    printf("\n");
  }
  fflush(stdout);
}

// Whether all ranks share a node, in a line of output.
static void print_placement(const Bench* bench) {
  MPI_Comm node;
  int ranks = 0;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &ranks);
  MPI_Comm_free(&node);
  if (bench->rank == 0) printf("placement %s\n", ranks == bench->ranks ? "one-node" : "several-nodes");
}

int main(int argc, char** argv) {
  const char* rules[most_rules];
  const int count = take_rules(&argc, argv, rules);
  Bench bench = bench_init(&argc, &argv, "algorithms", 0, (BenchSizes){4, 4 << 20, 4});
  bench.slowest_rank = 1;
  const Operation* operation = bench.mode == NULL ? NULL : find_operation(bench.mode);
  if (operation == NULL)
    bench_usage_error(&bench, "--mode takes a collective such as allreduce or gatherv, not ",
                      bench.mode == NULL ? "nothing" : bench.mode);
  if (count == 0) bench_usage_error(&bench, "--rule is missing: give one for each way to measure", "");
  print_placement(&bench);
  MPI_Comm comms[most_rules];
  for (int rule = 0; rule < count; ++rule) comms[rule] = with_rule(rules[rule]);
  double* times = malloc(sizeof *times * (size_t)count * (size_t)bench.batches);
  Measured measured = {operation, make_buffers(&bench, operation)};
  if (operation->call == call_barrier) bench.size_count = 1, bench.sizes[0] = 0;
  for (int size = 0; size < bench.size_count; ++size) {
    measure(&bench, &measured, comms, count, bench.sizes[size], times);
  }
  free_buffers(&measured.buffers);
  free(times);
  for (int rule = 0; rule < count; ++rule) MPI_Comm_free(&comms[rule]);
  MPI_Finalize();
  return 0;
}
