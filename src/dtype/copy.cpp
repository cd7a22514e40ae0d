// SPDX-License-Identifier: BSD-3-Clause
// Short blocks are copied with moves of constant size: one, or two that overlap in the middle. All loads precede all
// stores, and no move touches a byte outside its block.
#include "dtype/copy.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace bowline::dtype {
namespace {

/// Moves of exactly `N` bytes.
template <std::size_t N>
struct Exactly {
  static constexpr std::size_t constant = N;
  static void move(std::byte* __restrict to, const std::byte* __restrict from, std::size_t) noexcept {
    std::memcpy(to, from, N);
  }
};

/// Moves of `N` to 2 * `N` bytes.
template <std::size_t N>
struct Twice {
  static constexpr std::size_t constant = 0;
  static void move(std::byte* __restrict to, const std::byte* __restrict from, std::size_t length) noexcept {
    struct Part {
      std::byte bytes[N];
    } head, tail;
    std::memcpy(&head, from, N);
    std::memcpy(&tail, from + length - N, N);
    std::memcpy(to, &head, N);
    std::memcpy(to + length - N, &tail, N);
  }
};

struct AnyLength {
  static constexpr std::size_t constant = 0;
  static void move(std::byte* __restrict to, const std::byte* __restrict from, std::size_t length) noexcept {
    std::memcpy(to, from, length);
  }
};

/// Calls `loop` with the mover for blocks of this length.
template <class Loop>
void with_mover(std::size_t length, Loop loop) {
  switch (length) {
    case 1:
      return loop(Exactly<1>());
    case 2:
      return loop(Exactly<2>());
    case 4:
      return loop(Exactly<4>());
    case 8:
      return loop(Exactly<8>());
    case 12:
      return loop(Exactly<12>());
    case 16:
      return loop(Exactly<16>());
    case 24:
      return loop(Exactly<24>());
    case 32:
      return loop(Exactly<32>());
    case 64:
      return loop(Exactly<64>());
    default:
      break;
  }
  if (length < 4) return loop(Twice<2>());
  if (length < 8) return loop(Twice<4>());
  if (length < 16) return loop(Twice<8>());
  if (length < 32) return loop(Twice<16>());
  if (length < 64) return loop(Twice<32>());
  loop(AnyLength());
}

/// Calls `loop` with a mover for blocks of up to 64 bytes, with fewer kinds of loops: some loops make two moves where
/// one would suffice.
template <class Loop>
void with_overlapping_mover(std::size_t length, Loop loop) {
  if (length == 1) return loop(Exactly<1>());
  if (length < 4) return loop(Twice<2>());
  if (length < 8) return loop(Twice<4>());
  if (length == 8) return loop(Exactly<8>());
  if (length < 16) return loop(Twice<8>());
  if (length < 32) return loop(Twice<16>());
  loop(Twice<32>());
}

/// One block of a length that differs from block to block.
inline void move_varied(std::byte* __restrict to, const std::byte* __restrict from, std::size_t length) noexcept {
  if (length > 64) {
    std::memcpy(to, from, length);
  } else if (length >= 32) {
    Twice<32>::move(to, from, length);
  } else if (length >= 16) {
    Twice<16>::move(to, from, length);
  } else if (length >= 8) {
    Twice<8>::move(to, from, length);
  } else if (length >= 4) {
    Twice<4>::move(to, from, length);
  } else if (length >= 2) {
    Twice<2>::move(to, from, length);
  } else if (length == 1) {
    *to = *from;
  }
}

template <std::size_t N>
struct Constant {
  constexpr operator std::ptrdiff_t() const noexcept { return static_cast<std::ptrdiff_t>(N); }
};

// Two separate words are stored side by side with one vector store.
using Word = std::uint64_t;
using WordPair [[gnu::vector_size(2 * sizeof(Word))]] = Word;

[[gnu::always_inline]] inline Word load(const std::byte* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

[[gnu::always_inline]] inline void store(std::byte* to, WordPair words) noexcept {
  std::memcpy(to, &words, sizeof words);
}

/// `to_step` and `from_step` are std::ptrdiff_t, or constants if known.
template <class Mover, class ToStep, class FromStep>
[[gnu::always_inline]] inline void loop_rows(std::byte* __restrict to, ToStep to_step, const std::byte* __restrict from,
                                             FromStep from_step, std::size_t rows, std::size_t length) noexcept {
  // Computes four addresses from one, because a dependent addition per block would limit the loop to one block per
  // cycle.
  for (; rows >= 4; rows -= 4) {
    if constexpr (Mover::constant == sizeof(Word) && std::is_same_v<ToStep, Constant<sizeof(Word)>>) {
      store(to, WordPair{load(from), load(from + from_step)});
      store(to + 2 * sizeof(Word), WordPair{load(from + 2 * from_step), load(from + 3 * from_step)});
    } else {
      Mover::move(to, from, length);
      Mover::move(to + to_step, from + from_step, length);
      Mover::move(to + 2 * to_step, from + 2 * from_step, length);
      Mover::move(to + 3 * to_step, from + 3 * from_step, length);
    }
    to += 4 * to_step;
    from += 4 * from_step;
  }
  for (; rows > 0; --rows) {
    Mover::move(to, from, length);
    to += to_step;
    from += from_step;
  }
}

/// Copies rows, with the step of the packed side as a constant if possible.
template <class Mover>
[[gnu::always_inline]] inline void rows_of(const Target& to, const Source& from, std::size_t rows,
                                           std::size_t length) noexcept {
  constexpr std::size_t n = Mover::constant;
  if constexpr (n != 0) {
    if (to.step == static_cast<std::ptrdiff_t>(n))
      return loop_rows<Mover>(to.base, Constant<n>(), from.base, from.step, rows, length);
    if (from.step == static_cast<std::ptrdiff_t>(n))
      return loop_rows<Mover>(to.base, to.step, from.base, Constant<n>(), rows, length);
  }
  loop_rows<Mover>(to.base, to.step, from.base, from.step, rows, length);
}

/// Whether planes lie closer together than rows, as in a matrix that is read by columns. A cache line then holds blocks
/// of several planes, which are copied together.
bool interleaved(const Target& to, const Source& from) noexcept {
  constexpr std::ptrdiff_t line = 64;
  const auto crosses = [](std::ptrdiff_t plane, std::ptrdiff_t step) {
    return std::abs(plane) < line && std::abs(step) >= line;
  };
  return crosses(to.plane, to.step) || crosses(from.plane, from.step);
}

// The number of planes that are copied together.
constexpr std::size_t tile = 8;

}  // namespace

void copy_rows(Target to, Source from, std::size_t rows, std::size_t length) {
  with_mover(length, [&]<class Mover>(Mover) { rows_of<Mover>(to, from, rows, length); });
}

void copy_planes(Target to, Source from, std::size_t planes, std::size_t rows, std::size_t length) {
  if (rows > 1 && interleaved(to, from)) {
    const Target column{to.base, to.plane};
    const Source column_from{from.base, from.plane};
    return with_mover(length, [&]<class Mover>(Mover) {
      for (std::size_t plane = 0; plane < planes; plane += tile) {
        const std::size_t together = std::min(tile, planes - plane);
        Target target{column.base + static_cast<std::ptrdiff_t>(plane) * to.plane, to.plane};
        Source source{column_from.base + static_cast<std::ptrdiff_t>(plane) * from.plane, from.plane};
        for (std::size_t row = 0; row < rows; ++row) {
          loop_rows<Mover>(target.base, target.step, source.base, source.step, together, length);
          target.base += to.step;
          source.base += from.step;
        }
      }
    });
  }
  with_mover(length, [&]<class Mover>(Mover) {
    for (std::size_t plane = 0; plane < planes; ++plane) {
      rows_of<Mover>(to, from, rows, length);
      to.base += to.plane;
      from.base += from.plane;
    }
  });
}

void copy_pairs(Target to, Source from, std::size_t rows, const Halves& halves) {
  const std::size_t first = halves.lengths[0], second = halves.lengths[1];
  with_overlapping_mover(first, [&]<class First>(First) {
    with_overlapping_mover(second, [&]<class Second>(Second) {
      std::byte* target = to.base;
      std::byte* target_2 = to.base + halves.to;
      const std::byte* source = from.base;
      const std::byte* source_2 = from.base + halves.from;
      for (std::size_t i = 0; i < rows; ++i) {
        First::move(target, source, first);
        Second::move(target_2, source_2, second);
        target += to.step;
        target_2 += to.step;
        source += from.step;
        source_2 += from.step;
      }
    });
  });
}

void gather(std::byte* to, const std::byte* base, const std::ptrdiff_t* displacements, std::size_t count,
            std::size_t length) {
  with_mover(length, [&]<class Mover>(Mover) {
    for (std::size_t i = 0; i < count; ++i, to += length) Mover::move(to, base + displacements[i], length);
  });
}

void scatter(std::byte* base, const std::ptrdiff_t* displacements, const std::byte* from, std::size_t count,
             std::size_t length) {
  with_mover(length, [&]<class Mover>(Mover) {
    for (std::size_t i = 0; i < count; ++i, from += length) Mover::move(base + displacements[i], from, length);
  });
}

void gather_varied(std::byte* stream, const std::byte* base, const std::ptrdiff_t* displacements,
                   const std::size_t* ends, std::size_t count) {
  for (std::size_t i = 0, begin = 0; i < count; begin = ends[i++]) {
    move_varied(stream + begin, base + displacements[i], ends[i] - begin);
  }
}

void scatter_varied(std::byte* base, const std::ptrdiff_t* displacements, const std::size_t* ends,
                    const std::byte* stream, std::size_t count) {
  for (std::size_t i = 0, begin = 0; i < count; begin = ends[i++]) {
    move_varied(base + displacements[i], stream + begin, ends[i] - begin);
  }
}

}  // namespace bowline::dtype
