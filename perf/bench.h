// SPDX-License-Identifier: BSD-3-Clause
// Common code of the benchmarks: arguments, calibrated and timed batches, medians, one line of output per point. Uses
// only plain MPI, so that each benchmark compiles with any MPI as `mpicc -O2 latency.c -o latency`.
#ifndef BOWLINE_PERF_BENCH_H
#define BOWLINE_PERF_BENCH_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { bench_max_points = 64, bench_max_batches = 1000, bench_window = 64 };

// The sizes that a benchmark measures unless told otherwise: from the smallest to the largest, each `factor` times the
// one before. A size is a number of bytes, or of whatever the benchmark has many of.
typedef struct BenchSizes {
  size_t smallest;
  size_t largest;
  size_t factor;
} BenchSizes;

// What the user asked for, and where this process stands in MPI_COMM_WORLD.
typedef struct Bench {
  const char* name;
  const char* mode;                // what --mode names, or NULL
  size_t sizes[bench_max_points];  // in the order in which they are measured
  int size_count;
  int slowest_rank;      // whether the slowest rank's clock counts; else rank 0's does
  int careful;           // whether the slower of two batches tells how many iterations fill one
  int batches;           // timed batches per point; the printed value is their median
  double batch_seconds;  // aimed-at duration of one batch
  int rank;
  int ranks;
} Bench;

// Does the measured operation `iterations` times with messages of `bytes` bytes. Every rank calls it.
typedef void (*BenchOperation)(const Bench* bench, void* context, size_t bytes, int iterations);

// Turns the seconds of one iteration into the printed value.
typedef double (*BenchValue)(size_t bytes, double seconds);

// Ends the whole job with status 2 after one sentence from rank 0.
static inline void bench_usage_error(const Bench* bench, const char* sentence, const char* value) {
  if (bench->rank == 0) fprintf(stderr, "%s: %s%s\n", bench->name, sentence, value);
  MPI_Finalize();
  exit(2);
}

static inline void bench_help(const Bench* bench) {
  if (bench->rank == 0) {
    printf(
        "%s [--max SIZE] [--size SIZE]... [--batches N] [--batch-ms MS] [--mode MODE] [--thread-level LEVEL]\n"
        "  --max SIZE     largest size, which is in bytes unless the benchmark counts something else\n"
        "  --size SIZE    measure this size only; may be given several times\n"
        "  --batches N    timed batches per size, 1 to %d; the printed value is their median (default 5)\n"
        "  --batch-ms MS  aimed-at duration of one batch in milliseconds (default 5)\n"
        "  --mode MODE    which form of the benchmark, where it has several: see the head of its source\n"
        "  --thread-level LEVEL  single (as MPI_Init) or multiple: what MPI_Init_thread is asked for\n"
        "Each line: benchmark, size, median, unit, then lowest and highest batch.\n",
        bench->name, bench_max_batches);
  }
  MPI_Finalize();
  exit(0);
}

// The number in `text`, or a usage error that names the option and what it takes.
static inline long bench_number(const Bench* bench, const char* option, const char* text, long lowest, long highest) {
  char* end = NULL;
  const long value = text == NULL ? 0 : strtol(text, &end, 10);
  if (text == NULL || end == text || *end != '\0' || value < lowest || value > highest) {
    char sentence[200];
    snprintf(sentence, sizeof sentence, "%s takes a whole number from %ld to %ld, not ", option, lowest, highest);
    bench_usage_error(bench, sentence, text == NULL ? "nothing: give one after it" : text);
  }
  return value;
}

static inline void bench_parse(Bench* bench, int argc, char** argv, BenchSizes sizes) {
  const long smallest = (long)sizes.smallest;
  for (int i = 1; i < argc; i += 2) {  // every option but --help, which ends the program, takes a value
    const char* option = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : NULL;
    if (strcmp(option, "--help") == 0) bench_help(bench);
    if (strcmp(option, "--max") == 0) {
      sizes.largest = (size_t)bench_number(bench, option, value, smallest, 1L << 30);
    } else if (strcmp(option, "--size") == 0) {
      if (bench->size_count == bench_max_points)
        bench_usage_error(bench, "too many --size options, at most 64 fit", "");
      bench->sizes[bench->size_count++] = (size_t)bench_number(bench, option, value, smallest, 1L << 30);
    } else if (strcmp(option, "--batches") == 0) {
      bench->batches = (int)bench_number(bench, option, value, 1, bench_max_batches);
    } else if (strcmp(option, "--batch-ms") == 0) {
      bench->batch_seconds = (double)bench_number(bench, option, value, 1, 10000) * 1e-3;
    } else if (strcmp(option, "--mode") == 0 && value != NULL) {
      bench->mode = value;
    } else if (strcmp(option, "--thread-level") != 0) {  // that one has been looked at before MPI was initialized
      bench_usage_error(bench, "unknown option, or one without its value, see --help: ", option);
    }
  }
  if (bench->size_count > 0) return;
  for (size_t size = sizes.smallest; size <= sizes.largest; size *= sizes.factor)
    bench->sizes[bench->size_count++] = size;
}

// Initializes MPI at the level that the arguments ask for. `needed` is the least level the benchmark can do with.
static inline void bench_init_mpi(Bench* bench, int* argc, char*** argv, int needed) {
  int wanted = needed;
  const char* word = "single";
  for (int i = 1; i + 1 < *argc; ++i) {
    if (strcmp((*argv)[i], "--thread-level") == 0) word = (*argv)[i + 1];
  }
  if (strcmp(word, "multiple") == 0) wanted = MPI_THREAD_MULTIPLE;
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(argc, argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &bench->rank);
  MPI_Comm_size(MPI_COMM_WORLD, &bench->ranks);
  if (strcmp(word, "single") != 0 && strcmp(word, "multiple") != 0)
    bench_usage_error(bench, "--thread-level takes single or multiple, not ", word);
  if (provided < wanted) bench_usage_error(bench, "needs MPI_THREAD_MULTIPLE, which this MPI does not grant", "");
}

static inline void bench_print_library(const Bench* bench) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  if (bench->rank == 0) printf("# library: %.*s\n", (int)strcspn(version, "\n\r"), version);
}

// What bench_init does, at a higher thread level.
static inline Bench bench_init_thread(int* argc, char*** argv, const char* name, int ranks, BenchSizes sizes,
                                      int thread_level) {
  Bench bench = {.name = name, .batches = 5, .batch_seconds = 5e-3};
  bench_init_mpi(&bench, argc, argv, thread_level);
  bench_parse(&bench, *argc, *argv, sizes);
  if (ranks != 0 && bench.ranks != ranks) {
    char sentence[100], started[20];
    snprintf(sentence, sizeof sentence, "needs exactly %d ranks (mpiexec -n %d), but was started with ", ranks, ranks);
    snprintf(started, sizeof started, "%d", bench.ranks);
    bench_usage_error(&bench, sentence, started);
  }
  bench_print_library(&bench);
  return bench;
}

// Initializes MPI and reads the arguments. `ranks` is the number of ranks the benchmark needs (0: any number).
static inline Bench bench_init(int* argc, char*** argv, const char* name, int ranks, BenchSizes sizes) {
  return bench_init_thread(argc, argv, name, ranks, sizes, MPI_THREAD_SINGLE);
}

static inline size_t bench_largest(const Bench* bench) {
  size_t largest = 0;
  for (int i = 0; i < bench->size_count; ++i) largest = bench->sizes[i] > largest ? bench->sizes[i] : largest;
  return largest;
}

// Page-aligned memory that has been written to, so that no page fault is ever timed. The caller frees it.
static inline void* bench_buffer(size_t bytes) {
  const size_t page = 4096;
  const size_t rounded = (bytes + page - 1) / page * page;
  void* buffer = aligned_alloc(page, rounded > 0 ? rounded : page);
  if (buffer == NULL) {
    fprintf(stderr, "no memory for a buffer of %zu bytes: choose a smaller --max\n", bytes);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
  }
  memset(buffer, 1, rounded > 0 ? rounded : page);
  return buffer;
}

static inline int bench_ascending(const void* left, const void* right) {
  const double a = *(const double*)left;
  const double b = *(const double*)right;
  return (a > b) - (a < b);
}

static inline double bench_median(double* values, int count) {
  qsort(values, (size_t)count, sizeof *values, bench_ascending);
  return count % 2 == 1 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

// Seconds that one batch took on this rank. The barrier lets all ranks begin together.
static inline double bench_batch(const Bench* bench, BenchOperation run, void* context, size_t bytes, int iterations) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  run(bench, context, bytes, iterations);
  double seconds = MPI_Wtime() - start;
  if (bench->slowest_rank) MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds;
}

// Warms up and finds how many iterations fill one batch. Rank 0's clock decides for all, so that all do the same
// number. It believes the faster of two batches: the very first ones pay for connections and page faults. A benchmark
// that may take a thousand times longer from one batch to the next is careful, and believes the slower one.
static inline int bench_calibrate(const Bench* bench, BenchOperation run, void* context, size_t bytes) {
  const int most = 1 << 24;
  int iterations = 1;
  for (;;) {
    const double first = bench_batch(bench, run, context, bytes, iterations);
    const double second = bench_batch(bench, run, context, bytes, iterations);
    const double seconds = (first < second) == !bench->careful ? first : second;
    int next = iterations;
    if (seconds < 0.5 * bench->batch_seconds) {
      const double factor = seconds > 0 ? bench->batch_seconds / seconds : 8;
      next = (int)((double)iterations * (factor < 8 ? factor : 8)) + 1;
      if (next > most) next = most;
    }
    MPI_Bcast(&next, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (next == iterations) return iterations;
    iterations = next;
  }
}

// Prints one line on rank 0. Sorts the values, one per batch, and returns their median.
static inline double bench_print(const Bench* bench, const char* name, size_t size, double* values, const char* unit) {
  const double median = bench_median(values, bench->batches);
  if (bench->rank == 0) {
    printf("%-16s %8zu %12.3f %-5s  (%.3f to %.3f in %d batches)\n", name, size, median, unit, values[0],
           values[bench->batches - 1], bench->batches);
    fflush(stdout);
  }
  return median;
}

// Measures one size and prints its line; returns the median.
static inline double bench_point(const Bench* bench, const char* name, BenchOperation run, void* context, size_t size,
                                 BenchValue value, const char* unit) {
  static double values[bench_max_batches];
  const int iterations = bench_calibrate(bench, run, context, size);
  for (int batch = 0; batch < bench->batches; ++batch) {
    values[batch] = value(size, bench_batch(bench, run, context, size, iterations) / iterations);
  }
  return bench_print(bench, name, size, values, unit);
}

// Measures every size.
static inline void bench_points(const Bench* bench, BenchOperation run, void* context, BenchValue value,
                                const char* unit) {
  for (int i = 0; i < bench->size_count; ++i) {
    bench_point(bench, bench->name, run, context, bench->sizes[i], value, unit);
  }
}

static inline double bench_microseconds(size_t bytes, double seconds) {
  (void)bytes;
  return seconds * 1e6;
}

#endif
