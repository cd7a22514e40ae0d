// SPDX-License-Identifier: BSD-3-Clause
// Operators: megabytes per second, counting one of the two operands, that MPI_Reduce_local combines in one process
// (op_KIND), and that a hand-vectorized loop combines (loop_op_KIND).
//
//   --mode KIND     only this one: sum, max or prod, then _float, _double, _int32, _int64 or _complex (of doubles)
#include "bench.h"
#include "op_loops.h"

typedef struct Kind {
  const char* name;
  MPI_Op op;
  MPI_Datatype type;
  size_t element;
  Loop loops[3];
} Kind;

typedef struct Operands {
  const Kind* kind;
  void* in;
  void* inout;
} Operands;

static void reduce_local(const Bench* bench, void* context, size_t bytes, int iterations) {
  (void)bench;
  const Operands* operands = context;
  const Kind* kind = operands->kind;
  const int count = (int)(bytes / kind->element);
  for (int i = 0; i < iterations; ++i) MPI_Reduce_local(operands->in, operands->inout, count, kind->type, kind->op);
}

static void loop(const Bench* bench, void* context, size_t bytes, int iterations) {
  (void)bench;
  const Operands* operands = context;
  const Loop run = operands->kind->loops[widest_loops()];
  for (int i = 0; i < iterations; ++i) {
    run(operands->in, operands->inout, bytes);
    __asm__ volatile("" : : "r"(operands->inout) : "memory");  // or the compiler might join two of them
  }
}

static double megabytes_per_second(size_t bytes, double seconds) {
  return (double)bytes / seconds * 1e-6;
}

// Ones of either sign: whatever is done how often, no number becomes infinite, tiny or wrong.
static void fill(const Kind* kind, void* memory, size_t bytes, int salt) {
  for (size_t i = 0; i < bytes / kind->element; ++i) {
    const int sign = (i * 7 + (size_t)salt) % 3 == 0 ? -1 : 1;
    if (kind->type == MPI_FLOAT) {
      ((float*)memory)[i] = (float)sign;
    } else if (kind->type == MPI_DOUBLE) {
      ((double*)memory)[i] = sign;
    } else if (kind->type == MPI_INT32_T) {
      ((int32_t*)memory)[i] = sign;
    } else if (kind->type == MPI_INT64_T) {
      ((int64_t*)memory)[i] = sign;
    } else {
      ((double*)memory)[2 * i] = 0;
      ((double*)memory)[2 * i + 1] = sign;
    }
  }
}

// A figure for wrong results would be worth nothing.
static void verify(const Bench* bench, const Kind* kind) {
  enum { bytes = 16 * 37 };  // not only whole vectors
  char in[bytes], of_mpi[bytes], of_loop[bytes];
  fill(kind, in, bytes, 1);
  fill(kind, of_mpi, bytes, 2);
  memcpy(of_loop, of_mpi, bytes);
  Operands operands = {kind, in, of_mpi};
  reduce_local(bench, &operands, bytes, 1);
  operands.inout = of_loop;
  loop(bench, &operands, bytes, 1);
  if (memcmp(of_mpi, of_loop, bytes) == 0) return;
  fprintf(stderr, "op: MPI_Reduce_local has another result than the loop for %s\n", kind->name);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void measure(const Bench* bench, const Kind* kind) {
  const size_t largest = bench_largest(bench);
  Operands operands = {kind, bench_buffer(largest), bench_buffer(largest)};
  verify(bench, kind);
  for (int i = 0; i < bench->size_count; ++i) {
    const size_t bytes = bench->sizes[i] / kind->element * kind->element;
    char name[40];
    fill(kind, operands.in, largest, 1);
    fill(kind, operands.inout, largest, 2);
    snprintf(name, sizeof name, "op_%s", kind->name);
    bench_point(bench, name, reduce_local, &operands, bytes, megabytes_per_second, "MB/s");
    snprintf(name, sizeof name, "loop_op_%s", kind->name);
    bench_point(bench, name, loop, &operands, bytes, megabytes_per_second, "MB/s");
  }
  free(operands.in);
  free(operands.inout);
}

int main(int argc, char** argv) {
  const Bench bench = bench_init(&argc, &argv, "op", 1, (BenchSizes){64, 16 << 20, 4});
  const Kind kinds[] = {
      {"sum_float", MPI_SUM, MPI_FLOAT, 4, LOOPS(sum_float)},
      {"sum_double", MPI_SUM, MPI_DOUBLE, 8, LOOPS(sum_double)},
      {"sum_int32", MPI_SUM, MPI_INT32_T, 4, LOOPS(sum_int32)},
      {"sum_int64", MPI_SUM, MPI_INT64_T, 8, LOOPS(sum_int64)},
      {"sum_complex", MPI_SUM, MPI_C_DOUBLE_COMPLEX, 16, LOOPS(sum_double)},
      {"max_float", MPI_MAX, MPI_FLOAT, 4, LOOPS(max_float)},
      {"max_double", MPI_MAX, MPI_DOUBLE, 8, LOOPS(max_double)},
      {"max_int32", MPI_MAX, MPI_INT32_T, 4, LOOPS(max_int32)},
      {"max_int64", MPI_MAX, MPI_INT64_T, 8, LOOPS(max_int64)},
      {"prod_float", MPI_PROD, MPI_FLOAT, 4, LOOPS(prod_float)},
      {"prod_double", MPI_PROD, MPI_DOUBLE, 8, LOOPS(prod_double)},
      {"prod_int32", MPI_PROD, MPI_INT32_T, 4, LOOPS(prod_int32)},
      {"prod_int64", MPI_PROD, MPI_INT64_T, 8, LOOPS(prod_int64)},
      {"prod_complex", MPI_PROD, MPI_C_DOUBLE_COMPLEX, 16, LOOPS(prod_complex)},
  };
  int found = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) {
    if (bench.mode != NULL && strcmp(bench.mode, kinds[i].name) != 0) continue;
    measure(&bench, &kinds[i]);
    found = 1;
  }
  if (!found)
    bench_usage_error(&bench, "--mode takes sum_float, max_int64, prod_complex and the like, not ", bench.mode);
  MPI_Finalize();
  return 0;
}
