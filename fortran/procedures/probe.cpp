// SPDX-License-Identifier: BSD-3-Clause
// What modules/probe_*.f90 call to find out how a Fortran compiler passes choice buffers.
#include "procedures/descriptor.hpp"

using Descriptor = bowline::fortran::DescriptorWith<bowline::fortran::LayoutOfC>;

namespace {

volatile int* remembered = nullptr;

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

int bowline_is_section(const Descriptor* section, const void* first, std::size_t element, int rank,
                       const std::ptrdiff_t* extents, const std::ptrdiff_t* strides) {
  bool empty = false;
  bool same = section->element_bytes == element && section->rank == rank;
  for (int i = 0; same && i < rank; ++i) {
    empty = empty || extents[i] == 0;
    same = section->extent(i) == extents[i] && (empty || section->stride(i) == strides[i]);
  }
  return same && (empty || section->base == first) ? 1 : 0;
}

void bowline_remember(const Descriptor* buffer, int*) {
  remembered = static_cast<int*>(buffer->base);
}
void bowline_add_one() {
  *remembered = *remembered + 1;
}

int bowline_length_of(const Descriptor* text) {
  return static_cast<int>(text->element_bytes);
}

void bowline_is_address_(const void* buffer, void* const* address, int* right) {
  *right = buffer == *address ? 1 : 0;
}

#pragma GCC visibility pop
}  // extern "C"
