// SPDX-License-Identifier: BSD-3-Clause
// Matching: time per message of windows from rank 0 to rank 1 while N other entries (N is the size) precede them in the
// queue: receives that rank 1 has posted earlier (match_posted; with wildcards among them: match_wildcards), or
// messages that it has not received (match_unexpected; received from any source: match_unexpected_any). The preceding
// entries never match the messages that are measured. Half of them are of rank 0 and half of rank 1 itself, each with
// another tag.
//
// The messages of the windows and their receives use the same memory for every N. So the time grows with N only as far
// as matching takes longer. The slope, which is the time at N = 10,000 divided by that at N = 10, needs no correction.
#include "bench.h"

enum { wanted = 1, answer = 2, ready = 3, first_tag = 100, most_standing = 30000, few = 10, many = 10000 };

typedef struct Match {
  int wildcards;      // whether some of the posted receives are wildcards
  int wanted_source;  // what the receives of the windows name
  long* in_front;     // a word for each of those in front
  MPI_Request* standing;
  int standing_count;  // requests of this rank among them
  long window[bench_window];
  MPI_Request requests[bench_window];
} Match;

// Who sends the message of the i-th of those in front.
static int sender_of(int i) {
  return i % 2;
}

static void send_standing(const Bench* bench, Match* match, int i) {
  if (bench->rank != sender_of(i)) return;
  MPI_Isend(&match->in_front[i], 1, MPI_LONG, 1, first_tag + i, MPI_COMM_WORLD,
            &match->standing[match->standing_count++]);
}

// With wildcards, a quarter of the receives is from any source, with a tag, and a quarter of any tag, from rank 1.
static void post_standing(Match* match, int i) {
  int source = sender_of(i);
  int tag = first_tag + i;
  if (match->wildcards && i % 4 == 0) source = MPI_ANY_SOURCE;
  if (match->wildcards && i % 4 == 1) tag = MPI_ANY_TAG;
  MPI_Irecv(&match->in_front[i], 1, MPI_LONG, source, tag, MPI_COMM_WORLD, &match->standing[match->standing_count++]);
}

static void wait_for_standing(Match* match) {
  MPI_Waitall(match->standing_count, match->standing, MPI_STATUSES_IGNORE);
  match->standing_count = 0;
}

static void send_window(Match* match) {
  for (int k = 0; k < bench_window; ++k) {
    MPI_Isend(&match->window[k], 1, MPI_LONG, 1, wanted, MPI_COMM_WORLD, &match->requests[k]);
  }
}

static void post_window(Match* match) {
  for (int k = 0; k < bench_window; ++k) {
    MPI_Irecv(&match->window[k], 1, MPI_LONG, match->wanted_source, wanted, MPI_COMM_WORLD, &match->requests[k]);
  }
}

static void wait_for_window(Match* match) {
  MPI_Waitall(bench_window, match->requests, MPI_STATUSES_IGNORE);
}

// Rank 0 sends a window when it hears that its receives have been posted.
static void posted_windows(const Bench* bench, void* context, size_t standing, int iterations) {
  (void)standing;
  for (int i = 0; i < iterations; ++i) {
    if (bench->rank == 0) {
      MPI_Recv(NULL, 0, MPI_BYTE, 1, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      send_window(context);
    } else {
      post_window(context);
      MPI_Send(NULL, 0, MPI_BYTE, 0, answer, MPI_COMM_WORLD);
    }
    wait_for_window(context);
  }
}

// Rank 1 begins to receive a window when the message behind it has arrived.
static void unexpected_windows(const Bench* bench, void* context, size_t standing, int iterations) {
  (void)standing;
  for (int i = 0; i < iterations; ++i) {
    if (bench->rank == 0) {
      send_window(context);
      MPI_Send(NULL, 0, MPI_BYTE, 1, ready, MPI_COMM_WORLD);
      wait_for_window(context);
      MPI_Recv(NULL, 0, MPI_BYTE, 1, answer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(NULL, 0, MPI_BYTE, 0, ready, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      post_window(context);
      wait_for_window(context);
      MPI_Send(NULL, 0, MPI_BYTE, 0, answer, MPI_COMM_WORLD);
    }
  }
}

static double nanoseconds_per_message(size_t standing, double seconds) {
  (void)standing;
  return seconds / bench_window * 1e9;
}

static double behind_receives(const Bench* bench, Match* match, const char* name, int count) {
  for (int i = 0; i < count && bench->rank == 1; ++i) post_standing(match, i);
  const double median = bench_point(bench, name, posted_windows, match, (size_t)count, nanoseconds_per_message, "ns");
  for (int i = 0; i < count; ++i) send_standing(bench, match, i);
  wait_for_standing(match);
  return median;
}

static double behind_messages(const Bench* bench, Match* match, const char* name, int count) {
  for (int i = 0; i < count; ++i) send_standing(bench, match, i);
  const double median =
      bench_point(bench, name, unexpected_windows, match, (size_t)count, nanoseconds_per_message, "ns");
  for (int i = 0; i < count && bench->rank == 1; ++i) {
    MPI_Recv(&match->in_front[i], 1, MPI_LONG, sender_of(i), first_tag + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  wait_for_standing(match);
  return median;
}

static void measure(const Bench* bench, Match* match, const char* name,
                    double (*behind)(const Bench*, Match*, const char*, int)) {
  double at_few = 0;
  double at_many = 0;
  for (int i = 0; i < bench->size_count; ++i) {
    const int count = (int)bench->sizes[i];
    const double median = behind(bench, match, name, count);
    if (count == few) at_few = median;
    if (count == many) at_many = median;
  }
  if (bench->rank != 0 || at_few <= 0 || at_many <= 0) return;
  char slope[40];
  snprintf(slope, sizeof slope, "%s_slope", name);
  printf("%-16s %8d %12.3f x\n", slope, 0, at_many / at_few);
}

int main(int argc, char** argv) {
  const Bench bench = bench_init(&argc, &argv, "match", 2, (BenchSizes){1, many, 10});
  const size_t most = bench_largest(&bench);
  if (most > most_standing) bench_usage_error(&bench, "sizes are at most 30000, because each has a tag of its own", "");
  Match match = {.in_front = bench_buffer(most * sizeof(long)),
                 .standing = bench_buffer(2 * most * sizeof(MPI_Request))};
  measure(&bench, &match, "match_posted", behind_receives);
  match.wildcards = 1;
  measure(&bench, &match, "match_wildcards", behind_receives);
  measure(&bench, &match, "match_unexpected", behind_messages);
  match.wanted_source = MPI_ANY_SOURCE;
  measure(&bench, &match, "match_unexpected_any", behind_messages);
  free(match.in_front);
  free(match.standing);
  MPI_Finalize();
  return 0;
}
