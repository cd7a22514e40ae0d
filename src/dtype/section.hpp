// SPDX-License-Identifier: BSD-3-Clause
// Section: a part of an array that a function uses as if it were contiguous (MPI-5.0, section 19.1.12).
//
// A view is a datatype that was made from another datatype and from sections. The view has the same counts, sizes and
// displacements; only the addresses of its data are virtual: virtual_address(i) is the begin of section i, and the
// virtual address n bytes behind it means byte n of the section's elements. So all calculations with addresses and
// extents remain the same, and the Cursor, through which all data go that are not contiguous, finds the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace bowline::dtype {

/// Blocks of contiguous bytes in a grid.
struct Section {
  static constexpr int most_dimensions = 15;
  struct Dimension {
    std::ptrdiff_t extent;
    std::ptrdiff_t stride;  ///< in bytes
  };

  std::byte* base = nullptr;
  std::ptrdiff_t block = 0;  ///< bytes in a block; positive
  int dimensions = 0;
  std::array<Dimension, most_dimensions>
      dimension;  ///< the first dimension varies fastest; the last dimension is without bounds

  /// Merges what is contiguous.
  void simplify() noexcept;
};

/// The blocks of a range of a section's bytes, one after the other.
class SectionBlocks {
 public:
  /// Starts at byte `offset`, which may be negative.
  SectionBlocks(const Section& section, std::ptrdiff_t offset) noexcept;

  /// The address of the next byte.
  std::byte* address() const noexcept { return row_ + index_[0] * section_.dimension[0].stride + within_; }
  /// Bytes from the present position to the end of the block.
  std::size_t left() const noexcept { return static_cast<std::size_t>(section_.block - within_); }
  /// If the next byte begins a block: the number of blocks that follow at equal distances; otherwise 0.
  std::size_t row() const noexcept {
    if (within_ != 0) return 0;
    if (section_.dimensions == 1) return std::numeric_limits<std::size_t>::max();
    return static_cast<std::size_t>(section_.dimension[0].extent - index_[0]);
  }
  std::ptrdiff_t stride() const noexcept { return section_.dimension[0].stride; }

  /// Advances within the block, or to the begin of the next one.
  void advance(std::size_t bytes) noexcept;
  /// Advances by blocks of the row.
  void advance_row(std::size_t blocks) noexcept;

 private:
  void carry() noexcept;

  const Section& section_;
  std::byte* row_;
  std::ptrdiff_t within_;
  std::array<std::ptrdiff_t, Section::most_dimensions> index_;
};

/// The sections of a view.
class Sections {
 public:
  static constexpr std::size_t most = 2;

  /// The virtual address of section i. No address of memory is as high as virtual addresses.
  static std::byte* virtual_address(std::size_t i) noexcept {
    return reinterpret_cast<std::byte*>((first_tag + i) << tag_shift | middle);
  }
  static bool is_virtual(const void* address) noexcept { return tag_of(address) >= first_tag; }

  Section& operator[](std::size_t i) noexcept { return all_[i]; }
  const Section& of(const void* address) const noexcept { return all_[tag_of(address) - first_tag]; }
  /// The offset of a virtual address in its section.
  static std::ptrdiff_t offset(const void* address) noexcept {
    return static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(address) & ((middle << 1) - 1)) -
           static_cast<std::ptrdiff_t>(middle);
  }

 private:
  static constexpr unsigned tag_shift = 60;
  static constexpr std::uintptr_t first_tag = 4;
  static constexpr std::uintptr_t middle = std::uintptr_t{1} << (tag_shift - 1);
  static std::uintptr_t tag_of(const void* address) noexcept {
    return reinterpret_cast<std::uintptr_t>(address) >> tag_shift;
  }

  std::array<Section, most> all_;
};

}  // namespace bowline::dtype
