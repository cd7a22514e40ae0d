// SPDX-License-Identifier: BSD-3-Clause
// The memory layout of a ring, its control words and its records (ring.hpp).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "transport/transport.hpp"

namespace bowline::shm {

inline constexpr std::size_t line_bytes = 64;

/// The control words at the start of a ring's memory. Each has a line of its own, because they are read and written at
/// different times. The consumer writes them.
struct RingControl {
  alignas(line_bytes) Atomic<std::uint64_t> released{0};  ///< lines that the consumer has released
  /// Whether the consumer polls the ring; otherwise the producer must notify it of records (notification_bits.hpp).
  alignas(line_bytes) Atomic<std::uint32_t> watched{0};
};

/// The layout of a record, computed from the lengths of its parts in bytes.
struct RecordLayout {
  static constexpr std::size_t header_offset = 8;
  static constexpr std::size_t prefix_offset = header_offset + sizeof(transport::Header);
  static constexpr std::size_t aligned_from = 256;  ///< bodies of at least this length start on a line

  constexpr RecordLayout(std::size_t prefix, std::size_t body) noexcept
      : body_offset(body < aligned_from ? prefix_offset + prefix
                                        : (prefix_offset + prefix + line_bytes - 1) / line_bytes * line_bytes),
        lines((body_offset + body + line_bytes - 1) / line_bytes) {}

  std::size_t body_offset;
  std::size_t lines;
};

/// The place of a body that does not stand in the ring, but in a copy buffer of the producer (copy_buffers.hpp).
struct LentBody {
  std::uint32_t buffer;
  std::uint32_t bytes;
  std::uint64_t loan;  ///< the number of the buffer's loan, by which the consumer gives it back
};

/// The stamp: prefix length in bits 0-7, body length in bits 8-31, lap in bits 32-63. Laps count from 1, so a ring of
/// zeros is empty. Two body lengths that no record can have mark special records. `skip_body`: the next record is at
/// the start of the ring. `lent_body`: behind the prefix stands a LentBody.
struct Stamp {
  static constexpr std::uint64_t make(std::uint32_t lap, std::size_t prefix, std::size_t body) noexcept {
    return (static_cast<std::uint64_t>(lap) << 32) | (static_cast<std::uint64_t>(body) << 8) | prefix;
  }
  static constexpr std::size_t skip_body = 0xffffff;
  static constexpr std::size_t lent_body = 0xfffffe;
  static constexpr std::uint32_t lap(std::uint64_t stamp) noexcept { return static_cast<std::uint32_t>(stamp >> 32); }
  static constexpr std::size_t prefix(std::uint64_t stamp) noexcept { return stamp & 0xff; }
  static constexpr std::size_t body(std::uint64_t stamp) noexcept { return (stamp >> 8) & 0xffffff; }
  static constexpr bool is_special(std::uint64_t stamp) noexcept { return body(stamp) >= lent_body; }
  /// Whether the record has no prefix, and a body that ends in its first line.
  static constexpr bool in_one_line(std::uint64_t stamp) noexcept {
    return std::rotr(static_cast<std::uint32_t>(stamp), 8) <= line_bytes - RecordLayout::prefix_offset;
  }
};

/// Bytes of memory that a ring of `lines` lines occupies.
constexpr std::size_t ring_bytes(std::size_t lines) noexcept {
  return sizeof(RingControl) + lines * line_bytes;
}

/// The first window of a producer in lines: what fits into two pages, or all lines of a small ring.
constexpr std::size_t first_window(std::size_t lines) noexcept {
  constexpr std::size_t in_two_pages = (2 * 4096 - sizeof(RingControl)) / line_bytes;
  return lines <= 2 * in_two_pages ? lines : in_two_pages;
}
/// The next window in lines, which takes twice the memory; the whole ring once more than half of it would be used.
constexpr std::size_t next_window(std::size_t window, std::size_t lines) noexcept {
  const std::size_t next = 2 * window + sizeof(RingControl) / line_bytes;
  return next > lines / 2 ? lines : next;
}

/// The longest body (with its prefix) of a ring of `lines` lines, in bytes: a quarter of the ring, so that a message
/// always fits once the consumer has caught up, wherever in the ring the producer is.
constexpr std::size_t ring_max_body(std::size_t lines) noexcept {
  return lines / 4 * line_bytes - 2 * line_bytes;
}
/// The longest prefix, in bytes.
inline constexpr std::size_t ring_max_prefix = line_bytes;

/// The longest prefix of a message whose body stands in a copy buffer: the record is one line.
inline constexpr std::size_t lent_prefix = line_bytes - RecordLayout::prefix_offset - sizeof(LentBody);
static_assert(lent_prefix >= 16);  // Endpoint::send_long()

/// The location of the ring, which both halves use. `lines` is a power of two.
class RingView {
 public:
  RingView(std::byte* memory, std::size_t lines) noexcept
      : control_(reinterpret_cast<RingControl*>(memory)),
        lines_(memory + sizeof(RingControl)),
        mask_(lines - 1),
        lap_shift_(std::countr_zero(lines)) {}

  RingControl& control() const noexcept { return *control_; }
  std::size_t index(std::uint64_t position) const noexcept { return position & mask_; }
  std::byte* line(std::uint64_t position) const noexcept { return lines_ + index(position) * line_bytes; }
  AtomicRef<std::uint64_t> stamp(std::uint64_t position) const noexcept {
    return AtomicRef<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(line(position)));
  }
  std::uint32_t lap(std::uint64_t position) const noexcept {
    return static_cast<std::uint32_t>(position >> lap_shift_) + 1;
  }
  std::size_t count() const noexcept { return mask_ + 1; }
  std::size_t lines_to_end(std::uint64_t position) const noexcept { return count() - (position & mask_); }

 private:
  RingControl* control_;
  std::byte* lines_;
  std::uint64_t mask_;
  int lap_shift_;
};

}  // namespace bowline::shm
