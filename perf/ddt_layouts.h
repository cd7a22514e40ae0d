// SPDX-License-Identifier: BSD-3-Clause
// The layouts that the benchmark ddt measures, each as a datatype and as loops that a programmer would write by hand
// for it.
#ifndef BOWLINE_PERF_DDT_LAYOUTS_H
#define BOWLINE_PERF_DDT_LAYOUTS_H

#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct Layout Layout;

// A layout that holds a certain number of bytes of data. Whoever has it frees `type`, `lengths` and `places`.
struct Layout {
  const char* name;
  MPI_Datatype type;
  int count;    // elements of the type
  size_t span;  // bytes that they take with the holes
  void (*gather)(const Layout* layout, const void* restrict memory, void* restrict stream);
  void (*scatter)(const Layout* layout, const void* restrict stream, void* restrict memory);
  size_t planes, rows, length, depth;  // of regular ones: what there is of each
  int* lengths;                        // of indexed ones: for each of `rows` blocks, in doubles
  int* places;
};

typedef struct LayoutKind {
  const char* name;
  void (*make)(Layout* layout, size_t bytes);
} LayoutKind;

enum { matrix_row = 32 };  // doubles

// ---- every second double

static void gather_vector(const Layout* layout, const void* restrict memory, void* restrict stream) {
  const double* restrict from = memory;
  double* restrict to = stream;
  for (size_t i = 0; i < layout->rows; ++i) to[i] = from[2 * i];
}

static void scatter_vector(const Layout* layout, const void* restrict stream, void* restrict memory) {
  const double* restrict from = stream;
  double* restrict to = memory;
  for (size_t i = 0; i < layout->rows; ++i) to[2 * i] = from[i];
}

static void make_vector(Layout* layout, size_t bytes) {
  layout->rows = bytes / sizeof(double);
  layout->span = 2 * bytes;
  layout->count = 1;
  layout->gather = gather_vector;
  layout->scatter = scatter_vector;
  MPI_Type_vector((int)layout->rows, 1, 2, MPI_DOUBLE, &layout->type);
}

// ---- a column of a matrix

static void gather_column(const Layout* layout, const void* restrict memory, void* restrict stream) {
  const double* restrict from = memory;
  double* restrict to = stream;
  for (size_t i = 0; i < layout->rows; ++i) to[i] = from[matrix_row * i];
}

static void scatter_column(const Layout* layout, const void* restrict stream, void* restrict memory) {
  const double* restrict from = stream;
  double* restrict to = memory;
  for (size_t i = 0; i < layout->rows; ++i) to[matrix_row * i] = from[i];
}

static void make_column(Layout* layout, size_t bytes) {
  layout->rows = bytes / sizeof(double);
  layout->span = matrix_row * bytes;
  layout->count = 1;
  layout->gather = gather_column;
  layout->scatter = scatter_column;
  MPI_Type_vector((int)layout->rows, 1, matrix_row, MPI_DOUBLE, &layout->type);
}

// ---- faces of a box of doubles, one thick, one step inside

// A face of rows * length doubles, as square as it gets, of a box that is `depth` thick there.
static void make_face(Layout* layout, size_t bytes) {
  layout->length = layout->rows = 1;
  while (layout->rows * layout->length * sizeof(double) < bytes) {
    size_t* shorter = layout->length > layout->rows ? &layout->rows : &layout->length;
    *shorter *= 2;
  }
  layout->depth = layout->length < 16 ? layout->length : 16;
  layout->span = bytes * layout->depth;
  layout->count = 1;
}

static void make_subarray(Layout* layout, const int sizes[3], int normal) {
  int subsizes[3] = {sizes[0], sizes[1], sizes[2]};
  int starts[3] = {0, 0, 0};
  subsizes[normal] = starts[normal] = 1;
  MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &layout->type);
}

// Rows along x are contiguous, so of this face every double stands alone.
static void gather_face_x(const Layout* layout, const void* restrict memory, void* restrict stream) {
  const double* restrict from = (const double*)memory + 1;
  double* restrict to = stream;
  for (size_t row = 0; row < layout->rows; ++row) {
    for (size_t i = 0; i < layout->length; ++i)
      to[row * layout->length + i] = from[(row * layout->length + i) * layout->depth];
  }
}

static void scatter_face_x(const Layout* layout, const void* restrict stream, void* restrict memory) {
  const double* restrict from = stream;
  double* restrict to = (double*)memory + 1;
  for (size_t row = 0; row < layout->rows; ++row) {
    for (size_t i = 0; i < layout->length; ++i)
      to[(row * layout->length + i) * layout->depth] = from[row * layout->length + i];
  }
}

static void make_face_x(Layout* layout, size_t bytes) {
  make_face(layout, bytes);
  layout->gather = gather_face_x;
  layout->scatter = scatter_face_x;
  make_subarray(layout, (int[3]){(int)layout->rows, (int)layout->length, (int)layout->depth}, 2);
}

// One row of each plane.
static void gather_face_y(const Layout* layout, const void* restrict memory, void* restrict stream) {
  const double* restrict from = (const double*)memory + layout->length;
  double* restrict to = stream;
  for (size_t row = 0; row < layout->rows; ++row) {
    for (size_t i = 0; i < layout->length; ++i)
      to[row * layout->length + i] = from[row * layout->depth * layout->length + i];
  }
}

static void scatter_face_y(const Layout* layout, const void* restrict stream, void* restrict memory) {
  const double* restrict from = stream;
  double* restrict to = (double*)memory + layout->length;
  for (size_t row = 0; row < layout->rows; ++row) {
    for (size_t i = 0; i < layout->length; ++i)
      to[row * layout->depth * layout->length + i] = from[row * layout->length + i];
  }
}

static void make_face_y(Layout* layout, size_t bytes) {
  make_face(layout, bytes);
  layout->gather = gather_face_y;
  layout->scatter = scatter_face_y;
  make_subarray(layout, (int[3]){(int)layout->rows, (int)layout->depth, (int)layout->length}, 1);
}

// A whole plane: contiguous.
static void gather_face_z(const Layout* layout, const void* restrict memory, void* restrict stream) {
  const size_t doubles = layout->rows * layout->length;
  const double* restrict from = (const double*)memory + doubles;
  double* restrict to = stream;
  for (size_t i = 0; i < doubles; ++i) to[i] = from[i];
}

static void scatter_face_z(const Layout* layout, const void* restrict stream, void* restrict memory) {
  const size_t doubles = layout->rows * layout->length;
  const double* restrict from = stream;
  double* restrict to = (double*)memory + doubles;
  for (size_t i = 0; i < doubles; ++i) to[i] = from[i];
}

static void make_face_z(Layout* layout, size_t bytes) {
  make_face(layout, bytes);
  layout->gather = gather_face_z;
  layout->scatter = scatter_face_z;
  make_subarray(layout, (int[3]){(int)layout->depth, (int)layout->rows, (int)layout->length}, 0);
}

// ---- blocks of doubles at irregular places

static void gather_indexed(const Layout* layout, const void* restrict memory, void* restrict stream) {
  double* restrict to = stream;
  for (size_t block = 0; block < layout->rows; ++block) {
    const double* restrict from = (const double*)memory + layout->places[block];
    for (int i = 0; i < layout->lengths[block]; ++i) *to++ = from[i];
  }
}

static void scatter_indexed(const Layout* layout, const void* restrict stream, void* restrict memory) {
  const double* restrict from = stream;
  for (size_t block = 0; block < layout->rows; ++block) {
    double* restrict to = (double*)memory + layout->places[block];
    for (int i = 0; i < layout->lengths[block]; ++i) to[i] = *from++;
  }
}

// Blocks whose lengths are taken at random from `choices`, with 1 to 4 doubles between.
static void make_indexed(Layout* layout, size_t bytes, const int* choices, unsigned choice_count) {
  const int doubles = (int)(bytes / sizeof(double));
  layout->lengths = malloc(bytes / 2);
  layout->places = malloc(bytes / 2);
  if (layout->lengths == NULL || layout->places == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  unsigned random = 12345;
  int place = 0;
  for (int used = 0; used < doubles; ++layout->rows) {
    random = random * 1664525u + 1013904223u;
    int length = choices[(random >> 16) % choice_count];
    if (length > doubles - used) length = doubles - used;
    layout->lengths[layout->rows] = length;
    layout->places[layout->rows] = place;
    place += length + 1 + (int)(random >> 30);
    used += length;
  }
  layout->span = (size_t)place * sizeof(double);
  layout->count = 1;
  layout->gather = gather_indexed;
  layout->scatter = scatter_indexed;
  MPI_Type_indexed((int)layout->rows, layout->lengths, layout->places, MPI_DOUBLE, &layout->type);
}

static void make_indexed_small(Layout* layout, size_t bytes) {
  make_indexed(layout, bytes, (const int[]){1, 2, 3, 4}, 4);
}

static void make_indexed_mixed(Layout* layout, size_t bytes) {
  make_indexed(layout, bytes, (const int[]){1, 2, 4, 7, 8, 16, 33, 100}, 8);
}

// ---- an array of structs with holes

typedef struct Particle {
  int number;  // 4 bytes of hole follow
  double place[3];
  float charge;  // and here again
} Particle;

typedef struct PackedParticle {  // 32 bytes, as they are in the stream
  char number[sizeof(int)];
  char place[3 * sizeof(double)];
  char charge[sizeof(float)];
} PackedParticle;

static void gather_struct(const Layout* layout, const void* restrict memory, void* restrict stream) {
  const Particle* restrict from = memory;
  PackedParticle* restrict to = stream;
  for (int i = 0; i < layout->count; ++i) {
    memcpy(to[i].number, &from[i].number, sizeof to[i].number);
    memcpy(to[i].place, from[i].place, sizeof to[i].place);
    memcpy(to[i].charge, &from[i].charge, sizeof to[i].charge);
  }
}

static void scatter_struct(const Layout* layout, const void* restrict stream, void* restrict memory) {
  const PackedParticle* restrict from = stream;
  Particle* restrict to = memory;
  for (int i = 0; i < layout->count; ++i) {
    memcpy(&to[i].number, from[i].number, sizeof from[i].number);
    memcpy(to[i].place, from[i].place, sizeof from[i].place);
    memcpy(&to[i].charge, from[i].charge, sizeof from[i].charge);
  }
}

static void make_struct(Layout* layout, size_t bytes) {
  const int lengths[] = {1, 3, 1};
  const MPI_Aint places[] = {offsetof(Particle, number), offsetof(Particle, place), offsetof(Particle, charge)};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_FLOAT};
  MPI_Datatype plain;
  MPI_Type_create_struct(3, lengths, places, types, &plain);
  MPI_Type_create_resized(plain, 0, sizeof(Particle), &layout->type);
  MPI_Type_free(&plain);
  layout->count = (int)(bytes / sizeof(PackedParticle));
  layout->span = (size_t)layout->count * sizeof(Particle);
  layout->gather = gather_struct;
  layout->scatter = scatter_struct;
}

static const LayoutKind layout_kinds[] = {
    {"vector", make_vector},
    {"column", make_column},
    {"face_x", make_face_x},
    {"face_y", make_face_y},
    {"face_z", make_face_z},
    {"indexed_small", make_indexed_small},
    {"indexed_mixed", make_indexed_mixed},
    {"struct", make_struct},
};

#endif
