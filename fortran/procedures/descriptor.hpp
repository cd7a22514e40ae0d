// SPDX-License-Identifier: BSD-3-Clause
// The descriptor of an argument that a procedure with BIND(C) gets (CFI_cdesc_t), as far as it is used here. The
// compilers' headers ISO_Fortran_binding.h differ, but gfortran's (from 12 on) and flang's (from 20 on) agree in these
// members. modules/probe.f90 finds out whether a compiler does, before mpi_f08 is compiled for it with descriptors.
#pragma once

#include <cstddef>

namespace bowline::fortran {

struct Descriptor {
  struct Dimension {
    std::ptrdiff_t lower_bound;
    std::ptrdiff_t extent;  ///< -1: the last dimension of an array of assumed size
    std::ptrdiff_t stride;  ///< in bytes
  };

  void* base;
  std::size_t element_bytes;
  int version;
  signed char rank;
  char type[3];
  Dimension dimension[15];  ///< `rank` of them

  /// Whether the elements are one run of memory.
  bool contiguous() const noexcept {
    auto next = static_cast<std::ptrdiff_t>(element_bytes);
    for (int i = 0; i < rank; ++i) {
      const Dimension& here = dimension[i];
      if (here.extent > 1 && here.stride != next) return is_empty();
      if (here.extent <= 0) return true;  // no elements, or of assumed size
      next *= here.extent;
    }
    return true;
  }

 private:
  bool is_empty() const noexcept {
    for (int i = 0; i < rank; ++i) {
      if (dimension[i].extent == 0) return true;
    }
    return false;
  }
};
static_assert(offsetof(Descriptor, rank) == 20 && offsetof(Descriptor, dimension) == 24);

}  // namespace bowline::fortran
