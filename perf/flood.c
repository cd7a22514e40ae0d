// SPDX-License-Identifier: BSD-3-Clause
// Flood: rank 0 sends N messages of 4 KiB (N is the size) with MPI_Isend in windows (--mode isend) or with MPI_Send
// (--mode send, the default). Rank 1 does not receive them but waits for a message of rank 2. Then it receives all and
// checks that they are complete and in order. The result is the growth of the memory of rank 1: its peak resident
// memory minus the resident memory at the start, in MiB.
//
// Rank 2 sends after a time that does not depend on the others. So an MPI may make rank 0 wait, as the standard allows,
// and the program still ends.
#define _GNU_SOURCE
#include <time.h>

#include "bench.h"

enum { message_bytes = 4096, message_words = message_bytes / sizeof(long), data = 1, release = 2 };

// A line of /proc/self/status in KiB, such as "VmRSS:" (resident now) and "VmHWM:" (the most that ever was).
static long status_kib(const char* field) {
  char line[256];
  long kib = 0;
  FILE* status = fopen("/proc/self/status", "r");
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, field, strlen(field)) == 0) sscanf(line + strlen(field), "%ld", &kib);
  }
  if (status != NULL) fclose(status);
  return kib;
}

// Lets VmHWM begin anew at what is resident now. Where that is refused it stays what it was: a little too much.
static void reset_most_resident(void) {
  FILE* file = fopen("/proc/self/clear_refs", "w");
  if (file == NULL) return;
  fputs("5", file);
  fclose(file);
}

static void fill(long* message, long number) {
  for (int word = 0; word < message_words; ++word) message[word] = number + word;
}

static void check(const long* message, long number) {
  for (int word = 0; word < message_words; ++word) {
    if (message[word] == number + word) continue;
    fprintf(stderr,
            "flood: word %d of message %ld is %ld, but was sent as %ld: messages are lost, broken or reordered\n", word,
            number, message[word], number + word);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void send_all(long count) {
  long* message = bench_buffer(message_bytes);
  for (long i = 0; i < count; ++i) {
    fill(message, i);
    MPI_Send(message, message_words, MPI_LONG, 1, data, MPI_COMM_WORLD);
  }
  free(message);
}

static void isend_all(long count) {
  long* messages = bench_buffer((size_t)bench_window * message_bytes);
  MPI_Request requests[bench_window];
  for (long i = 0; i < count; i += bench_window) {
    const int window = count - i < bench_window ? (int)(count - i) : bench_window;
    for (int k = 0; k < window; ++k) {
      long* message = messages + (size_t)k * message_words;
      fill(message, i + k);
      MPI_Isend(message, message_words, MPI_LONG, 1, data, MPI_COMM_WORLD, &requests[k]);
    }
    MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);
  }
  free(messages);
}

// Returns the growth in MiB.
static double receive_all(long count) {
  long* message = bench_buffer(message_bytes);
  const long before = status_kib("VmRSS:");
  reset_most_resident();
  MPI_Recv(NULL, 0, MPI_BYTE, 2, release, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const long held = status_kib("VmRSS:");
  for (long i = 0; i < count; ++i) {
    MPI_Recv(message, message_words, MPI_LONG, 0, data, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(message, i);
  }
  const long most = status_kib("VmHWM:");
  printf("# resident in rank 1: %ld KiB before, %ld KiB when it began to receive, at most %ld KiB\n", before, held,
         most);
  free(message);
  return (double)(most - before) / 1024;
}

// A second, and four microseconds per message: enough for an MPI that takes them all in.
static void release_later(long count) {
  const double seconds = 1.0 + 4e-6 * (double)count;
  const struct timespec pause = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
  nanosleep(&pause, NULL);
  MPI_Send(NULL, 0, MPI_BYTE, 1, release, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  const Bench bench = bench_init(&argc, &argv, "flood", 3, (BenchSizes){1, 1000000, 1000000});
  const char* mode = bench.mode == NULL ? "send" : bench.mode;
  const int windows = strcmp(mode, "isend") == 0;
  if (!windows && strcmp(mode, "send") != 0) bench_usage_error(&bench, "--mode takes send or isend, not ", mode);
  const long count = (long)bench_largest(&bench);
  MPI_Barrier(MPI_COMM_WORLD);
  if (bench.rank == 0 && windows) isend_all(count);
  if (bench.rank == 0 && !windows) send_all(count);
  if (bench.rank == 2) release_later(count);
  if (bench.rank == 1) {
    printf("%-16s %8ld %12.3f MiB\n", windows ? "flood_isend" : "flood_send", count, receive_all(count));
    fflush(stdout);
  }
  MPI_Finalize();
  return 0;
}
