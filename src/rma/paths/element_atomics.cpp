// SPDX-License-Identifier: BSD-3-Clause
#include "rma/paths/element_atomics.hpp"

#include "dtype/native.hpp"
#include "rma/paths/word_atomics.hpp"

namespace bowline::rma {

void accumulate_atomically(const dtype::Op& op, const dtype::Datatype& type, const std::byte* in, std::byte* target,
                           std::byte* old, std::size_t count) {
  const auto combine = [&](const void* operand, void* result) { op.apply(operand, result, 1, type); };
  if (dtype::native_size(type.element()) == 4) {
    update_words<std::uint32_t>(op.predefined_as(), combine, in, target, old, count);
  } else {
    update_words<std::uint64_t>(op.predefined_as(), combine, in, target, old, count);
  }
}

void swap_atomically(dtype::Element element, const std::byte* compare, const std::byte* swap, std::byte* target,
                     std::byte* old) noexcept {
  if (dtype::native_size(element) == 4) {
    swap_word<std::uint32_t>(compare, swap, target, old);
  } else {
    swap_word<std::uint64_t>(compare, swap, target, old);
  }
}

}  // namespace bowline::rma
