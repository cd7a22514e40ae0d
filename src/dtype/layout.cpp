// SPDX-License-Identifier: BSD-3-Clause
#include "dtype/layout.hpp"

namespace bowline::dtype {

std::size_t Layout::memory() const noexcept {
  return sizeof *this + nodes_.size() * sizeof(Node) + displacements_.size() * sizeof(std::ptrdiff_t) +
         ends_.size() * sizeof(std::size_t) + parts_.size() * sizeof(std::uint32_t);
}

}  // namespace bowline::dtype
