// SPDX-License-Identifier: BSD-3-Clause
#include "coll/channel/reduction.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace bowline::coll {
namespace {

/// Memory for some elements of a type, with the layout of a user's buffer, aligned for any type.
class Image {
 public:
  Image(const dtype::Datatype& type, std::size_t elements) {
    const std::ptrdiff_t last = static_cast<std::ptrdiff_t>(elements - 1) * type.extent();
    const std::ptrdiff_t lowest = std::min<std::ptrdiff_t>(last, 0) + type.bounds().true_lb;
    const std::ptrdiff_t highest = std::max<std::ptrdiff_t>(last, 0) + type.bounds().true_ub;
    memory_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(highest - lowest) + alignment);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory_.get()) - static_cast<std::uintptr_t>(lowest);
    base_ = reinterpret_cast<std::byte*>((begin + alignment - 1) / alignment * alignment);
  }
  std::byte* base() const noexcept { return base_; }

 private:
  static constexpr std::size_t alignment = 64;
  std::unique_ptr<std::byte[]> memory_;
  std::byte* base_;  ///< the address of the first element
};

/// The number of elements that are unpacked at once: as many as fit into the caches.
std::size_t elements_at_once(const dtype::Datatype& type, std::size_t count) {
  constexpr std::int64_t enough = 128 << 10;
  const std::int64_t each =
      std::max<std::int64_t>({std::abs(type.bounds().extent()), type.bounds().true_ub - type.bounds().true_lb, 1});
  return std::clamp<std::size_t>(static_cast<std::size_t>(enough / each), 1, count);
}

}  // namespace

void Reduction::combine_packed(const std::byte* left, std::span<std::byte> inout) const {
  const dtype::Datatype& type = type_->given();
  const std::size_t count = inout.size() / element_;
  const std::size_t most = elements_at_once(type, count);
  const Image lower(type, most);
  const Image higher(type, most);
  for (std::size_t done = 0; done < count; done += most) {
    const std::size_t elements = std::min(most, count - done);
    const std::size_t offset = done * element_;
    dtype::unpack(type, left + offset, elements * element_, lower.base());
    dtype::unpack(type, inout.data() + offset, elements * element_, higher.base());
    op_->apply(lower.base(), higher.base(), elements, type);
    dtype::pack(type, elements, higher.base(), inout.data() + offset);
  }
}

}  // namespace bowline::coll
