// SPDX-License-Identifier: BSD-3-Clause
// Files: bytes per second of all ranks together, in a file that is in the page cache. --mode DIRECTORY says where the
// file is made (default: here).
//
//   write, read                 each rank one run of SIZE bytes, independently
//   strided_write, strided_read each rank pieces of SIZE bytes, as far apart as four of them, independently
//   cyclic_write, cyclic_read   a matrix of doubles, distributed over the ranks block-cyclically in both dimensions, in
//                               one collective call; SIZE bytes of a row belong together
//   cube_write, cube_read       an array of three dimensions of which each rank has a block with rows of SIZE bytes, in
//                               one collective call
//   open_close                  microseconds to open a file and to close it
//   run_overlap, cyclic_overlap how much of a non-blocking collective write passes while the ranks compute (see
//                               icoll.c)
//   ..._peak                    MiB by which the resident memory of the rank that uses most grows meanwhile
#include <unistd.h>

#include "bench.h"

enum { bytes_each = 4 << 20, row_block = 4, name_room = 4096, piece_count = 2 };
static const int pieces[piece_count] = {64, 4096};

typedef struct Access {
  MPI_File file;
  MPI_Offset offset;  // in bytes, where the view is that of the whole file
  int bytes;
  int writes;
  int collective;
  char* data;
  double compute_seconds;
  double computed;
} Access;

static void fail_if(int code, const char* what) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "%s failed: %s\n", what, text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static void run_access(const Bench* bench, void* context, size_t size, int iterations) {
  (void)bench, (void)size;
  Access* a = context;
  for (int i = 0; i < iterations; ++i) {
    if (a->collective && a->writes) {
      fail_if(MPI_File_write_at_all(a->file, a->offset, a->data, a->bytes, MPI_BYTE, MPI_STATUS_IGNORE), "a write");
    } else if (a->collective) {
      fail_if(MPI_File_read_at_all(a->file, a->offset, a->data, a->bytes, MPI_BYTE, MPI_STATUS_IGNORE), "a read");
    } else if (a->writes) {
      fail_if(MPI_File_write_at(a->file, a->offset, a->data, a->bytes, MPI_BYTE, MPI_STATUS_IGNORE), "a write");
    } else {
      fail_if(MPI_File_read_at(a->file, a->offset, a->data, a->bytes, MPI_BYTE, MPI_STATUS_IGNORE), "a read");
    }
  }
}

// Without --mode, the current directory.
static char* file_name(const Bench* bench) {
  static char name[name_room];
  int process = (int)getpid();
  MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
  snprintf(name, sizeof name, "%s/bench-io-%d", bench->mode == NULL ? "." : bench->mode, process);
  return name;
}

static MPI_File open_file(const char* name) {
  MPI_File file;
  fail_if(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), "MPI_File_open");
  return file;
}

// ---- memory

// The resident memory in KiB, or its peak since reset_peak().
static long resident(const char* key) {
  char line[200];
  long kib = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, key, strlen(key)) == 0) sscanf(line + strlen(key), "%ld", &kib);
  }
  if (status != NULL) fclose(status);
  return kib;
}

static void reset_peak(void) {
  FILE* clear = fopen("/proc/self/clear_refs", "w");
  if (clear == NULL) return;
  fputs("5", clear);
  fclose(clear);
}

static void print_peak(const Bench* bench, const char* name, size_t size, long before) {
  double mib = (double)(resident("VmHWM:") - before) / 1024;
  MPI_Allreduce(MPI_IN_PLACE, &mib, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  char title[60];
  snprintf(title, sizeof title, "%s_peak", name);
  if (bench->rank == 0) printf("%-16s %8zu %12.3f MiB    (%.3f to %.3f in 1 batches)\n", title, size, mib, mib, mib);
}

// ---- views

static MPI_Datatype cyclic(const Bench* bench, int piece) {
  int grid[2] = {0, 0};
  MPI_Dims_create(bench->ranks, 2, grid);
  const int in_row = piece < 1024 ? 64 : 4, doubles = piece / (int)sizeof(double);
  const int rows = bytes_each / piece / in_row;
  const int sizes[2] = {rows * grid[0], in_row * doubles * grid[1]};
  const int distributions[2] = {MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC}, blocks[2] = {row_block, doubles};
  MPI_Datatype type;
  MPI_Type_create_darray(bench->ranks, bench->rank, 2, sizes, distributions, blocks, grid, MPI_ORDER_C, MPI_DOUBLE,
                         &type);
  return type;
}

static MPI_Datatype cube(const Bench* bench, int piece) {
  int grid[3] = {0, 0, 0};
  MPI_Dims_create(bench->ranks, 3, grid);  // most processes side by side in rows
  const int rows = bytes_each / piece, side = rows == 1024 ? 32 : 256;
  const int own[3] = {rows / side, side, piece / (int)sizeof(double)};
  const int place[3] = {bench->rank / (grid[0] * grid[1]), bench->rank / grid[0] % grid[1], bench->rank % grid[0]};
  const int sizes[3] = {own[0] * grid[2], own[1] * grid[1], own[2] * grid[0]};
  const int starts[3] = {own[0] * place[0], own[1] * place[1], own[2] * place[2]};
  MPI_Datatype type;
  MPI_Type_create_subarray(3, sizes, own, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
  return type;
}

// One of each four pieces; the ranks' parts of the file follow each other.
static MPI_Datatype strided(int piece) {
  MPI_Datatype type;
  MPI_Type_vector(bytes_each / piece, piece, 4 * piece, MPI_BYTE, &type);
  return type;
}

static void set_view(const Access* access, MPI_Offset displacement, MPI_Datatype filetype) {
  MPI_Type_commit(&filetype);
  fail_if(MPI_File_set_view(access->file, displacement, MPI_BYTE, filetype, "native", MPI_INFO_NULL),
          "MPI_File_set_view");
  MPI_Type_free(&filetype);
}

// ---- cases

static void measure(const Bench* bench, Access* access, const char* kind, size_t size, int writes) {
  static double rates[bench_max_batches];
  char name[40];
  snprintf(name, sizeof name, "%s%s", kind, writes ? "write" : "read");
  access->writes = writes;
  for (int i = 0; i < access->bytes; ++i) access->data[i] = (char)(writes ? i % 113 + bench->rank : 0);
  MPI_Barrier(MPI_COMM_WORLD);
  reset_peak();
  const long before = resident("VmRSS:");
  const int iterations = bench_calibrate(bench, run_access, access, size);
  for (int batch = 0; batch < bench->batches; ++batch) {
    const double seconds = bench_batch(bench, run_access, access, size, iterations) / iterations;
    rates[batch] = (double)access->bytes * bench->ranks / seconds * 1e-6;
  }
  bench_print(bench, name, size, rates, "MB/s");
  print_peak(bench, name, size, before);
  for (int i = 0; i < access->bytes; ++i) {
    if (access->data[i] == (char)(i % 113 + bench->rank)) continue;
    fprintf(stderr, "%s of %zu: rank %d has read wrong data\n", name, size, bench->rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void measure_both(const Bench* bench, Access* access, const char* kind, size_t size) {
  measure(bench, access, kind, size, 1);
  measure(bench, access, kind, size, 0);
}

static void run_open(const Bench* bench, void* context, size_t size, int iterations) {
  (void)bench, (void)size;
  for (int i = 0; i < iterations; ++i) {
    MPI_File file = open_file(context);
    MPI_File_close(&file);
  }
}

static void compute(double seconds) {
  static volatile double value = 1;
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
    for (int i = 0; i < 20; ++i) value = value * 1.000001 + 1e-9;
  }
}

static void run_nonblocking(const Bench* bench, void* context, size_t size, int iterations) {
  (void)bench, (void)size;
  Access* a = context;
  a->computed = 0;
  for (int i = 0; i < iterations; ++i) {
    MPI_Request request;
    fail_if(MPI_File_iwrite_at_all(a->file, a->offset, a->data, a->bytes, MPI_BYTE, &request), "a write");
    const double start = MPI_Wtime();
    if (a->compute_seconds > 0) compute(a->compute_seconds);
    a->computed += MPI_Wtime() - start;
    fail_if(MPI_Wait(&request, MPI_STATUS_IGNORE), "a write");
  }
}

static void measure_overlap(const Bench* bench, Access* access, const char* kind, size_t size) {
  static double overlap[bench_max_batches];
  char name[40];
  snprintf(name, sizeof name, "%s_overlap", kind);
  access->compute_seconds = 0;
  const int iterations = bench_calibrate(bench, run_nonblocking, access, size);
  for (int batch = 0; batch < bench->batches; ++batch) {
    access->compute_seconds = 0;
    const double alone = bench_batch(bench, run_nonblocking, access, size, iterations) / iterations;
    access->compute_seconds = alone;
    const double seconds = bench_batch(bench, run_nonblocking, access, size, iterations) / iterations;
    const double visible = (seconds - access->computed / iterations) / alone;
    overlap[batch] = visible > 1 ? 0 : 100 * (1 - visible);
  }
  bench_print(bench, name, size, overlap, "%");
}

int main(int argc, char** argv) {
  Bench bench = bench_init(&argc, &argv, "io", 0, (BenchSizes){64 << 10, 16 << 20, 4});
  bench.slowest_rank = 1;
  char* const name = file_name(&bench);
  const size_t largest = bench_largest(&bench);
  Access access = {.file = open_file(name), .data = bench_buffer(largest > bytes_each ? largest : bytes_each)};
  for (int i = 0; i < bench.size_count; ++i) {
    access.bytes = (int)bench.sizes[i];
    access.offset = (MPI_Offset)access.bytes * bench.rank;
    measure_both(&bench, &access, "", bench.sizes[i]);
  }
  access.bytes = bytes_each;
  access.offset = 0;
  for (int i = 0; i < piece_count; ++i) {
    const size_t size = (size_t)pieces[i];
    access.collective = 0;
    set_view(&access, (MPI_Offset)4 * bytes_each * bench.rank, strided(pieces[i]));
    measure_both(&bench, &access, "strided_", size);
    access.collective = 1;
    set_view(&access, 0, cyclic(&bench, pieces[i]));
    measure_both(&bench, &access, "cyclic_", size);
    measure_overlap(&bench, &access, "cyclic", size);
    set_view(&access, 0, cube(&bench, pieces[i]));
    measure_both(&bench, &access, "cube_", size);
  }
  set_view(&access, (MPI_Offset)bytes_each * bench.rank, strided(bytes_each));
  measure_overlap(&bench, &access, "run", bytes_each);
  MPI_File_close(&access.file);
  bench_point(&bench, "open_close", run_open, name, 0, bench_microseconds, "us");
  if (bench.rank == 0) MPI_File_delete(name, MPI_INFO_NULL);
  free(access.data);
  MPI_Finalize();
  return 0;
}
