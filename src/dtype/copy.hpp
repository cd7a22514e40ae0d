// SPDX-License-Identifier: BSD-3-Clause
// Copying blocks of bytes from one regular pattern to another: the innermost loops of packing and unpacking.
#pragma once

#include <cstddef>

namespace bowline::dtype {

/// One side of a copy: the address of the first block, and the distances from block to block and from plane to plane.
template <class Byte>
struct Pattern {
  Byte* base;
  std::ptrdiff_t step;
  std::ptrdiff_t plane = 0;
};
using Target = Pattern<std::byte>;
using Source = Pattern<const std::byte>;

/// Copies `rows` blocks of `length` bytes. The two sides do not overlap.
void copy_rows(Target to, Source from, std::size_t rows, std::size_t length);

/// The two blocks of a row, each of 1 to 64 bytes: their lengths, and the distance from the first to the second.
struct Halves {
  static constexpr std::size_t longest = 64;
  std::size_t lengths[2];
  std::ptrdiff_t to;
  std::ptrdiff_t from;
};

/// Copies `rows` rows of two blocks.
void copy_pairs(Target to, Source from, std::size_t rows, const Halves& halves);

/// Copies `planes` times `rows` blocks.
void copy_planes(Target to, Source from, std::size_t planes, std::size_t rows, std::size_t length);

/// Gathers `count` blocks of `length` bytes from `base` + displacements[i].
void gather(std::byte* to, const std::byte* base, const std::ptrdiff_t* displacements, std::size_t count,
            std::size_t length);
/// Scatters `count` blocks of `length` bytes to `base` + displacements[i].
void scatter(std::byte* base, const std::ptrdiff_t* displacements, const std::byte* from, std::size_t count,
             std::size_t length);

/// Gathers or scatters blocks of different lengths: block i ends at ends[i] in the stream that begins at `stream`.
void gather_varied(std::byte* stream, const std::byte* base, const std::ptrdiff_t* displacements,
                   const std::size_t* ends, std::size_t count);
void scatter_varied(std::byte* base, const std::ptrdiff_t* displacements, const std::size_t* ends,
                    const std::byte* stream, std::size_t count);

}  // namespace bowline::dtype
