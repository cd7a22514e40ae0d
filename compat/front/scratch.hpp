// SPDX-License-Identifier: BSD-3-Clause
// Scratch: an array for the duration of a call.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace front {

/// Short arrays need no allocation. The elements are not initialized.
template <class Element>
class Scratch {
 public:
  explicit Scratch(long count) : count_(count > 0 ? static_cast<std::size_t>(count) : 0) {
    if (count_ > few) [[unlikely]]
      long_.reset(new Element[count_]);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::size_t size() const noexcept { return count_; }
  Element* data() noexcept { return long_ ? long_.get() : short_.data(); }
  const Element* data() const noexcept { return long_ ? long_.get() : short_.data(); }
  Element& operator[](std::size_t i) noexcept { return data()[i]; }

 private:
  static constexpr std::size_t few = 64;
  std::size_t count_;
  std::array<Element, few> short_;  // NOLINT(cppcoreguidelines-pro-type-member-init): that would cost each call time
  std::unique_ptr<Element[]> long_;
};

}  // namespace front
