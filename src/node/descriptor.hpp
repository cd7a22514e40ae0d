// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

namespace bowline::node {

/// An open descriptor, closed when destroyed. Move-only.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  /// Negative: none.
  int number() const noexcept { return number_; }
  /// Whether the object holds a descriptor.
  explicit operator bool() const noexcept { return number_ >= 0; }
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

}  // namespace bowline::node
