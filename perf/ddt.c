// SPDX-License-Identifier: BSD-3-Clause
// Datatypes: for each layout of data with holes, megabytes of data per second of
//   - MPI_Pack and MPI_Unpack (pack_LAYOUT, unpack_LAYOUT); rank 1 waits while rank 0 packs,
//   - a hand-written loop that does the same (loop_pack_LAYOUT, loop_unpack_LAYOUT),
//   - messages that go back and forth between two ranks and have this layout on both sides (pingpong_LAYOUT).
//
//   --mode LAYOUT     only this one: vector, column, face_x, face_y, face_z, indexed_small, indexed_mixed or struct
//
// The size is that of the data without the holes. Lengths and gaps of the indexed layouts come from a fixed sequence,
// so they are equal for all MPIs.
#include "bench.h"
#include "ddt_layouts.h"

typedef struct Transfer {
  const Layout* layout;
  char* memory;  // with the holes
  char* stream;  // without
} Transfer;

static void pack(const Bench* bench, void* context, size_t bytes, int iterations) {
  const Transfer* transfer = context;
  for (int i = 0; i < iterations && bench->rank == 0; ++i) {
    int position = 0;
    MPI_Pack(transfer->memory, transfer->layout->count, transfer->layout->type, transfer->stream, (int)bytes, &position,
             MPI_COMM_WORLD);
  }
}

static void unpack(const Bench* bench, void* context, size_t bytes, int iterations) {
  const Transfer* transfer = context;
  for (int i = 0; i < iterations && bench->rank == 0; ++i) {
    int position = 0;
    MPI_Unpack(transfer->stream, (int)bytes, &position, transfer->memory, transfer->layout->count,
               transfer->layout->type, MPI_COMM_WORLD);
  }
}

// The compiler must neither leave out a loop nor join two.
static void keep(void* memory) {
  __asm__ volatile("" : : "r"(memory) : "memory");
}

static void loop_pack(const Bench* bench, void* context, size_t bytes, int iterations) {
  const Transfer* transfer = context;
  (void)bytes;
  for (int i = 0; i < iterations && bench->rank == 0; ++i) {
    transfer->layout->gather(transfer->layout, transfer->memory, transfer->stream);
    keep(transfer->stream);
  }
}

static void loop_unpack(const Bench* bench, void* context, size_t bytes, int iterations) {
  const Transfer* transfer = context;
  (void)bytes;
  for (int i = 0; i < iterations && bench->rank == 0; ++i) {
    transfer->layout->scatter(transfer->layout, transfer->stream, transfer->memory);
    keep(transfer->memory);
  }
}

static void pingpong(const Bench* bench, void* context, size_t bytes, int iterations) {
  const Transfer* transfer = context;
  const Layout* layout = transfer->layout;
  const int other = 1 - bench->rank;
  (void)bytes;
  for (int i = 0; i < 2 * iterations; ++i) {
    if (i % 2 == bench->rank) {
      MPI_Send(transfer->memory, layout->count, layout->type, other, 1, MPI_COMM_WORLD);
    } else {
      MPI_Recv(transfer->memory, layout->count, layout->type, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
}

static double megabytes_per_second(size_t bytes, double seconds) {
  return (double)bytes / seconds * 1e-6;
}

static double megabytes_per_second_one_way(size_t bytes, double seconds) {
  return 2 * megabytes_per_second(bytes, seconds);
}

// A figure for the wrong bytes would be worth nothing: what MPI packs must be what the loop packs, and come back.
static void verify(const Bench* bench, Transfer* transfer, size_t bytes) {
  unsigned char* stream = bench_buffer(bytes);
  for (size_t i = 0; i < bytes; ++i) stream[i] = (unsigned char)(i * 7 + i / 251);
  memcpy(transfer->stream, stream, bytes);
  loop_unpack(bench, transfer, bytes, 1);
  memset(transfer->stream, 0, bytes);
  pack(bench, transfer, bytes, 1);
  int wrong = memcmp(transfer->stream, stream, bytes) != 0;
  loop_pack(bench, transfer, bytes, 1);
  wrong |= memcmp(transfer->stream, stream, bytes) != 0;
  free(stream);
  if (wrong && bench->rank == 0) {
    fprintf(stderr, "ddt: MPI_Pack of %zu bytes with the layout %s packs other bytes than the loop\n", bytes,
            transfer->layout->name);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static void measure(const Bench* bench, const LayoutKind* kind, size_t bytes) {
  static const struct {
    const char* name;
    BenchOperation run;
    BenchValue value;
  } operations[] = {{"pack", pack, megabytes_per_second},
                    {"loop_pack", loop_pack, megabytes_per_second},
                    {"unpack", unpack, megabytes_per_second},
                    {"loop_unpack", loop_unpack, megabytes_per_second},
                    {"pingpong", pingpong, megabytes_per_second_one_way}};
  Layout layout = {.name = kind->name};
  kind->make(&layout, bytes);
  MPI_Type_commit(&layout.type);
  Transfer transfer = {&layout, bench_buffer(layout.span), bench_buffer(bytes)};
  verify(bench, &transfer, bytes);
  for (size_t i = 0; i < sizeof operations / sizeof *operations; ++i) {
    char name[60];
    snprintf(name, sizeof name, "%s_%s", operations[i].name, layout.name);
    bench_point(bench, name, operations[i].run, &transfer, bytes, operations[i].value, "MB/s");
  }
  MPI_Type_free(&layout.type);
  free(layout.lengths);
  free(layout.places);
  free(transfer.memory);
  free(transfer.stream);
}

int main(int argc, char** argv) {
  const Bench bench = bench_init(&argc, &argv, "ddt", 2, (BenchSizes){1 << 10, 16 << 20, 4});
  int found = 0;
  for (size_t kind = 0; kind < sizeof layout_kinds / sizeof *layout_kinds; ++kind) {
    if (bench.mode != NULL && strcmp(bench.mode, layout_kinds[kind].name) != 0) continue;
    found = 1;
    for (int i = 0; i < bench.size_count; ++i) {
      if (bench.sizes[i] > (16 << 20) || (bench.sizes[i] & (bench.sizes[i] - 1)) != 0)
        bench_usage_error(&bench, "sizes are powers of two up to 16777216, because the layouts hold that much", "");
      measure(&bench, &layout_kinds[kind], bench.sizes[i]);
    }
  }
  if (!found)
    bench_usage_error(&bench, "--mode takes a layout, such as vector or struct (see --help), not ", bench.mode);
  MPI_Finalize();
  return 0;
}
