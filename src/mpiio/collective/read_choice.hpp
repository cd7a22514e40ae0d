// SPDX-License-Identifier: BSD-3-Clause
// ReadChoice: whether the members of a collective read move their data through windows, or each its own pieces. On some
// processors a copy between cores takes longer than the system calls that it saves, on others not. So the members take
// the times of the file's own blocking reads (base/tuner.hpp). Each member tells its time in the summary of the next
// collective access, so all members know the same sums and choose alike.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/tuner.hpp"
#include "mpiio/collective/steps.hpp"

namespace bowline::mpiio {

/// Used under the lock of the lane, by one access after the other.
class ReadChoice {
 public:
  // ---- the same in all members

  /// Takes note of what the members say of the read before. To be called for each access, before by_windows().
  void learn(const Summary& all) noexcept;
  /// Whether this read takes windows. `guess`: the answer without any measurement. `timed`: whether took() will follow.
  bool by_windows(const Summary& all, bool guess, bool timed) noexcept;

  // ---- of this member

  /// The time of this member's last read, for the summary of the next access; 0: none.
  std::int64_t take_time() noexcept { return std::exchange(time_, 0); }
  void took(std::chrono::nanoseconds time) noexcept { time_ = time.count(); }

 private:
  static constexpr std::size_t by_window = 0, by_piece = 1;
  /// The classes are the powers of two of the mean length of a piece. A system call for each shorter piece takes many
  /// times as long as a copy, and longer pieces gain nothing by windows: for these the guess applies.
  static constexpr int shortest_bits = 10, longest_bits = 16;

  struct Last {
    std::size_t length_class;
    std::size_t way;
    float bytes;  ///< of the file, from the first to the last
  };

  std::array<std::optional<Tuner>, longest_bits - shortest_bits> tuners_;  ///< costs: nanoseconds for each byte
  std::optional<Last> last_;                                               ///< a timed read that is not known yet
  std::int64_t time_ = 0;
};

}  // namespace bowline::mpiio
