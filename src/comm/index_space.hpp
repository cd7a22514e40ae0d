// SPDX-License-Identifier: BSD-3-Clause
// IndexSpace: one process's view of the indices of communicators: which are in use here, and which it has offered to an
// unfinished agreement.
//
// An agreement searches an index that is free at all its members. Several agreements may run at the same time, started
// by threads or non-blocking calls, in different orders in different processes. So that no two agreements get the same
// index, indices are divided into classes: an agreement searches one class at a time and holds it meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace bowline::comm {

/// Thread-safe.
class IndexSpace {
 public:
  static constexpr std::uint32_t classes = 256;
  static constexpr std::uint32_t class_size = 512;
  static constexpr std::uint32_t size = classes * class_size;
  /// A bit for each index of a class.
  using Bits = std::array<std::uint64_t, class_size / 64>;

  static constexpr std::uint32_t world = 0;
  static constexpr std::uint32_t self = 1;
  /// Belongs to no communicator: processes without a common communicator agree here.
  static constexpr std::uint32_t meeting_place = 2;

  /// `limit`: how many indices may be in use at once, besides the predefined ones.
  explicit IndexSpace(std::size_t limit = size);

  /// Holds a class and returns its free indices; nothing if another agreement holds it.
  std::optional<Bits> hold(std::uint32_t class_number);
  void let_go(std::uint32_t class_number) noexcept;
  /// An index of a class that the caller holds is in use from now on.
  void take(std::uint32_t index) noexcept;
  void give_back(std::uint32_t index) noexcept;

  /// The latest generation of the class's communicators in this process; it only grows.
  std::uint32_t generation(std::uint32_t class_number);
  void note_generation(std::uint32_t class_number, std::uint32_t generation);

  static constexpr std::uint32_t index(std::uint32_t class_number, std::uint32_t bit) noexcept {
    return class_number + bit * classes;
  }

 private:
  std::uint64_t& word(std::uint32_t index) noexcept;
  static std::uint64_t mask(std::uint32_t index) noexcept;

  std::mutex mutex_;
  std::array<Bits, classes> used_{};
  std::array<bool, classes> held_{};
  std::array<std::uint32_t, classes> generations_{};
  std::size_t left_;
};

}  // namespace bowline::comm
