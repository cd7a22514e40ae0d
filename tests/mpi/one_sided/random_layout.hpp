// SPDX-License-Identifier: BSD-3-Clause
// Random datatypes of one predefined type, each beside the list of the places of its elements.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace random_program {

/// The same numbers on every rank.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(engine_); }
  bool chance(int in) { return below(in) == 0; }

 private:
  std::mt19937_64 engine_;
};

/// A predefined type whose elements have `bytes` bytes.
struct Basic {
  MPI_Datatype type;
  int bytes;
  bool is_integer;
};

/// `elements`: the places of the elements in one item of the type, in elements, in the order of the data.
struct Layout {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool made = false;  ///< whether it has to be freed
  std::vector<int> elements;
  int span = 0;  ///< places from the first to behind the last

  void free() {
    if (made) MPI_Type_free(&type);
    made = false;
  }
};

/// A layout of `count` elements within about `room` places; `room` >= `count`.
inline Layout random_layout(Random& random, const Basic& basic, int count, int room) {
  Layout layout;
  layout.made = true;
  const auto add_run = [&](int first, int length) {
    for (int i = 0; i < length; ++i) layout.elements.push_back(first + i);
  };
  const int kind = count < 2 ? 0 : random.below(5);
  if (kind == 0) {  // a run
    MPI_Type_contiguous(count, basic.type, &layout.type);
    add_run(0, count);
  } else if (kind == 1) {  // every n-th
    const int stride = 1 + random.below(room / count);
    MPI_Type_vector(count, 1, stride, basic.type, &layout.type);
    for (int i = 0; i < count; ++i) add_run(i * stride, 1);
  } else if (kind == 2) {  // blocks in ascending order, with gaps
    std::vector<int> lengths, places;
    int place = 0, left = count, gaps = room - count;
    while (left > 0) {
      const int length = 1 + random.below(std::min(left, 5)), gap = gaps > 0 ? random.below(std::min(gaps, 4) + 1) : 0;
      place += gap;
      gaps -= gap;
      lengths.push_back(length);
      places.push_back(place);
      add_run(place, length);
      place += length;
      left -= length;
    }
    MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), places.data(), basic.type, &layout.type);
  } else if (kind == 3) {  // two halves in descending order
    const int first = count / 2, lengths[2] = {count - first, first};
    const MPI_Aint places[2] = {MPI_Aint{first} * basic.bytes, 0};
    const MPI_Datatype types[2] = {basic.type, basic.type};
    MPI_Type_create_struct(2, lengths, places, types, &layout.type);
    add_run(first, count - first);
    add_run(0, first);
  } else {  // a part of a matrix
    const int columns = std::max(1, std::min(count, 4)), rows = count / columns, rest = count - rows * columns;
    const int width = columns + (room > rows * (columns + 1) + rest ? 1 : 0);
    const int sizes[2] = {rows, width}, parts[2] = {rows, columns}, starts[2] = {0, width - columns};
    MPI_Datatype matrix;
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, basic.type, &matrix);
    const int lengths[2] = {1, rest};
    const MPI_Aint places[2] = {0, MPI_Aint{rows} * width * basic.bytes};
    const MPI_Datatype types[2] = {matrix, basic.type};
    MPI_Type_create_struct(2, lengths, places, types, &layout.type);
    MPI_Type_free(&matrix);
    for (int i = 0; i < rows; ++i) add_run(i * width + width - columns, columns);
    add_run(rows * width, rest);
  }
  MPI_Type_commit(&layout.type);
  layout.span = *std::max_element(layout.elements.begin(), layout.elements.end()) + 1;
  return layout;
}

}  // namespace random_program
