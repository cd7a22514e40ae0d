// SPDX-License-Identifier: BSD-3-Clause
// IndexSpace: the indices by which the members of a communicator name it, as one process sees them: which of them are
// in use here, and which it has offered to an agreement that is not over yet.
//
// An agreement looks for an index that all its members have free. Several may go on at the same time, begun by threads
// or as non-blocking calls, in different orders in different processes. So that no index is given to two of them,
// indices are divided into classes, and an agreement looks in one class at a time, which it holds meanwhile.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>

namespace bowline::comm {

/// Safe for several threads.
class IndexSpace {
 public:
  static constexpr std::uint32_t classes = 256;
  static constexpr std::uint32_t class_size = 512;
  static constexpr std::uint32_t size = classes * class_size;
  /// A bit for each index of a class.
  using Bits = std::array<std::uint64_t, class_size / 64>;

  static constexpr std::uint32_t world = 0;
  static constexpr std::uint32_t self = 1;
  /// Names no communicator: processes that have none in common agree here.
  static constexpr std::uint32_t meeting_place = 2;

  /// `limit`: how many may be in use at once, beside those above.
  explicit IndexSpace(std::size_t limit = size);

  /// Holds a class and gives its free indices; none if another agreement holds it.
  std::optional<Bits> hold(std::uint32_t class_number);
  void let_go(std::uint32_t class_number) noexcept;
  /// An index of a class that the caller holds is in use from now on.
  void take(std::uint32_t index) noexcept;
  void give_back(std::uint32_t index) noexcept;

  /// The latest generation that a communicator of this process has had in the class; it grows.
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
