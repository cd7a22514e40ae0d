// SPDX-License-Identifier: BSD-3-Clause
// SignalText: text for signal handlers, which may use neither the heap nor locks.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bowline {

/// Cuts what has no room. Every function may be called in a signal handler.
class SignalText {
 public:
  void add(std::string_view words) noexcept {
    const std::size_t count = std::min(words.size(), room_.size() - 1 - used_);
    std::copy_n(words.begin(), count, room_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += count;
  }
  void add(std::uint64_t number, int base = 10) noexcept {
    std::array<char, 24> digits;
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number, base);
    add({digits.data(), static_cast<std::size_t>(end - digits.data())});
  }
  char* c_str() noexcept { return room_.data(); }  // the room is filled with zeros
  void write_to(int descriptor) const noexcept {
    static_cast<void>(!write(descriptor, room_.data(), used_));  // nobody can be told if that fails
  }

 private:
  std::array<char, 1024> room_{};
  std::size_t used_ = 0;
};

}  // namespace bowline
