// SPDX-License-Identifier: BSD-3-Clause
// The descriptor of an argument of assumed rank, as far as it is used here. Its layout belongs to the ABI:
// fortran_abi.hpp names one of these as DescriptorLayout.
#pragma once

#include <cstddef>

namespace bowline::fortran {

/// What a procedure with BIND(C) gets (CFI_cdesc_t). The compilers' headers ISO_Fortran_binding.h differ, but
/// gfortran's (from 12 on) and flang's (from 20 on) agree in these members. modules/probe_*.f90 find out whether a
/// compiler does, before mpi_f08 is compiled for it with descriptors.
struct LayoutOfC {
  struct Dimension {
    std::ptrdiff_t lower_bound;
    std::ptrdiff_t extent;
    std::ptrdiff_t stride;  ///< in bytes
  };

  void* base;
  std::size_t element_bytes;
  int version;
  signed char rank;
  char type[3];
  Dimension dimension[15];  ///< `rank` of them

  /// -1: the last dimension of an array of assumed size.
  std::ptrdiff_t extent(int i) const noexcept { return dimension[i].extent; }
  /// In bytes.
  std::ptrdiff_t stride(int i) const noexcept { return dimension[i].stride; }
};
static_assert(offsetof(LayoutOfC, rank) == 20 && offsetof(LayoutOfC, dimension) == 24);

/// What gfortran (from 9 on) passes to a procedure without BIND(C).
struct LayoutOfGfortran {
  struct Dimension {
    std::ptrdiff_t stride;  ///< in multiples of `span`
    std::ptrdiff_t lower_bound;
    std::ptrdiff_t upper_bound;
  };

  void* base;
  std::size_t offset;
  std::size_t element_bytes;
  int version;
  signed char rank;
  signed char type;
  short attribute;
  std::ptrdiff_t span;
  Dimension dimension[15];

  /// -1: the last dimension of an array of assumed size.
  std::ptrdiff_t extent(int i) const noexcept { return dimension[i].upper_bound - dimension[i].lower_bound + 1; }
  /// In bytes.
  std::ptrdiff_t stride(int i) const noexcept { return dimension[i].stride * span; }
};
static_assert(offsetof(LayoutOfGfortran, rank) == 28 && offsetof(LayoutOfGfortran, dimension) == 40);

template <class Layout>
struct DescriptorWith : Layout {
  /// Whether the elements are one run of memory.
  bool contiguous() const noexcept {
    auto next = static_cast<std::ptrdiff_t>(this->element_bytes);
    for (int i = 0; i < this->rank; ++i) {
      const std::ptrdiff_t extent = this->extent(i);
      if (extent > 1 && this->stride(i) != next) return is_empty();
      if (extent <= 0) return true;  // no elements, or of assumed size
      next *= extent;
    }
    return true;
  }

 private:
  bool is_empty() const noexcept {
    for (int i = 0; i < this->rank; ++i) {
      if (this->extent(i) == 0) return true;
    }
    return false;
  }
};

}  // namespace bowline::fortran
