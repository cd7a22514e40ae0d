// SPDX-License-Identifier: BSD-3-Clause
// Ring: a single-producer, single-consumer queue of messages in shared memory.
//
// The ring is an array of cache lines. A message is a record of whole, adjacent lines:
//
//   line 0   | stamp 8 B | header 16 B | prefix | body ...      short body: right behind
//   line 1.. | body (from the start of a line when it is long, so that it is copied aligned)
//
// The stamp is the only word both sides synchronize on. It carries the number of the lap in which it was written, so a
// line of an earlier lap says "nothing here yet" without anyone clearing it, and a short message costs the transfer of
// one line. The producer keeps this invariant:
//
//   the first word of the line after the last published record is not a stamp of the lap that the producer is in there.
//
// An old stamp never is, but the middle of an old body could look like one. The producer remembers, in memory of its
// own, which lines hold such middles; it clears the first word of the next record's line, if that is one of them,
// before it publishes this record (both are stores of one core, release-ordered). The consumer never writes into the
// ring, and the producer never reads it: lines travel one way.
//
// Flow control: the consumer stores the number of lines it has released in Control::released, now and then; the
// producer reads it only when the room it knows of is used up. Both count lines for ever; 64 bits do not wrap.
//
// The window: the producer uses the first lines of the ring only, and goes back to the start from there, as long as the
// consumer has left the start by then. Else whoever owns the producer gets memory for about twice as many lines and
// widens the window. So a pair that talks little takes two pages, and one that talks much has the whole ring. The
// consumer knows nothing of it but how far into the ring it has been, by which it tells how often news of what it has
// released are of use.
//
// Neither half believes the other: the consumer takes no record that is longer than one may be or goes beyond the end
// of the ring, and the producer no count of released lines that cannot be. What is wrong with a ring is wrong for good.
//
// Threads: one producer and one consumer, in different processes or threads, each calling only its half.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::shm {

inline constexpr std::size_t line_bytes = 64;

/// The words of a ring that are not lines; at the start of its memory, each on a line of its own.
struct RingControl {
  alignas(line_bytes) std::atomic<std::uint64_t> released{
      0};  ///< lines the consumer has freed; written by the consumer
};

/// How a record is laid out, from the lengths of its parts.
struct RecordLayout {
  static constexpr std::size_t header_offset = 8;
  static constexpr std::size_t prefix_offset = header_offset + sizeof(transport::Header);
  static constexpr std::size_t aligned_from = 256;  ///< bodies at least this long start on a line

  constexpr RecordLayout(std::size_t prefix, std::size_t body) noexcept
      : body_offset(body < aligned_from ? prefix_offset + prefix
                                        : (prefix_offset + prefix + line_bytes - 1) / line_bytes * line_bytes),
        lines((body_offset + body + line_bytes - 1) / line_bytes) {}

  std::size_t body_offset;
  std::size_t lines;
};

/// The stamp: prefix length in bits 0-7, body length in bits 8-31, lap in bits 32-63. Laps count from 1; a ring of
/// zeros is empty. A body length that no record can have says "go on at the start of the ring".
struct Stamp {
  static constexpr std::uint64_t make(std::uint32_t lap, std::size_t prefix, std::size_t body) noexcept {
    return (static_cast<std::uint64_t>(lap) << 32) | (static_cast<std::uint64_t>(body) << 8) | prefix;
  }
  static constexpr std::size_t skip_body = 0xffffff;
  static constexpr std::uint32_t lap(std::uint64_t stamp) noexcept { return static_cast<std::uint32_t>(stamp >> 32); }
  static constexpr std::size_t prefix(std::uint64_t stamp) noexcept { return stamp & 0xff; }
  static constexpr std::size_t body(std::uint64_t stamp) noexcept { return (stamp >> 8) & 0xffffff; }
  /// Whether the record has no prefix, and a body that ends in its first line.
  static constexpr bool in_one_line(std::uint64_t stamp) noexcept {
    return std::rotr(static_cast<std::uint32_t>(stamp), 8) <= line_bytes - RecordLayout::prefix_offset;
  }
};

/// Bytes of memory that a ring of `lines` lines occupies.
constexpr std::size_t ring_bytes(std::size_t lines) noexcept {
  return sizeof(RingControl) + lines * line_bytes;
}

/// Lines at the start of the ring that a producer uses at first: what fits two pages, or all.
constexpr std::size_t first_window(std::size_t lines) noexcept {
  constexpr std::size_t in_two_pages = (2 * 4096 - sizeof(RingControl)) / line_bytes;
  return lines <= 2 * in_two_pages ? lines : in_two_pages;
}
/// The window that follows, which takes twice the memory; the whole ring once more than half of it would be used.
constexpr std::size_t next_window(std::size_t window, std::size_t lines) noexcept {
  const std::size_t next = 2 * window + sizeof(RingControl) / line_bytes;
  return next > lines / 2 ? lines : next;
}

/// The longest body (with its prefix) that a ring of `lines` lines takes: a quarter, so that a message always fits once
/// the consumer has caught up, wherever in the ring the producer stands.
constexpr std::size_t ring_max_body(std::size_t lines) noexcept {
  return lines / 4 * line_bytes - 2 * line_bytes;
}
/// The longest prefix.
inline constexpr std::size_t ring_max_prefix = line_bytes;

/// What both halves share: where the ring is. `lines` is a power of two.
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
  std::atomic_ref<std::uint64_t> stamp(std::uint64_t position) const noexcept {
    return std::atomic_ref<std::uint64_t>(*reinterpret_cast<std::uint64_t*>(line(position)));
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

/// The producing half.
class RingProducer {
 public:
  static constexpr std::size_t in_one_line = line_bytes - RecordLayout::prefix_offset;  ///< longest body

  /// The memory of the ring that is there: its control words and `window` lines, which is first_window(), one of the
  /// windows that follow it, or all.
  RingProducer(std::byte* memory, std::size_t lines, std::size_t window)
      : ring_(memory, lines), room_end_(window), window_(window), middle_(window) {}
  RingProducer(std::byte* memory, std::size_t lines) : RingProducer(memory, lines, lines) {}

  /// Publishes one message, or returns false without a trace if the window has no room for it.
  bool push(transport::Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept {
    if (prefix.empty() && body.size() <= in_one_line) [[likely]]
      return push_line(header, body);
    const RecordLayout layout(prefix.size(), body.size());
    const std::size_t to_end = ring_.lines_to_end(next_);
    const bool wraps = layout.lines > to_end;
    // One line more than the record: the next record's line may have to be cleared, so it must be free too.
    if (!has_room((wraps ? to_end : 0) + layout.lines + 1)) [[unlikely]]
      return false;
    if (wraps) [[unlikely]]
      skip(to_end);
    write(layout, header, prefix, body);
    publish(layout.lines, prefix.size(), body.size());
    return true;
  }

  std::size_t window() const noexcept { return window_; }
  /// Whether the window has room for such a message once the consumer has caught up, wherever the producer stands; the
  /// consumer keeps the last few of the lines that it releases to itself.
  bool takes(std::size_t prefix, std::size_t body) const noexcept {
    return RecordLayout(prefix, body).lines <= window_ / 4;
  }
  /// There is memory for the next window from now on, which is used from now on. Throws std::bad_alloc.
  void widen() {
    const std::size_t wider = next_window(window_, ring_.count());
    middle_.resize(wider);
    window_ = wider;
    room_end_ = next_;  // to be found anew
  }

  /// What the consumer says to have released, if that cannot be: then nothing is pushed any more.
  std::optional<std::uint64_t> nonsense() const noexcept { return nonsense_; }
  /// How many lines there are that it can have released.
  std::uint64_t pushed() const noexcept { return next_; }

 private:
  /// push() for a message that is one line: it never wraps, and there is nothing to lay out.
  bool push_line(transport::Header header, std::span<const std::byte> body) noexcept {
    if (!has_room(2)) [[unlikely]]
      return false;
    std::byte* const line = ring_.line(next_);
    if (!body.empty()) std::memcpy(line + RecordLayout::prefix_offset, body.data(), body.size());
    std::memcpy(line + RecordLayout::header_offset, &header, sizeof header);
    publish(1, 0, body.size());
    return true;
  }

  bool has_room(std::size_t lines) noexcept {
    if (next_ + lines <= room_end_) [[likely]]
      return true;
    const std::uint64_t released = ring_.control().released.load(std::memory_order_acquire);
    if (next_ - released > ring_.count()) [[unlikely]] {  // more than were pushed, or fewer than it was once
      nonsense_ = released;
      return false;
    }
    room_end_ = released + ring_.count();
    if (window_ < ring_.count()) stay_in_window(lines);
    return next_ + lines <= room_end_;
  }

  /// Of the room up to `room_end_`, leaves what is in the window; goes back to the start of the ring if the lines fit
  /// there and not here. A window is less than half of the ring or all of it, so there is always a line to say so.
  void stay_in_window(std::size_t lines) noexcept {
    std::uint64_t window_end = next_ - ring_.index(next_) + window_;
    const std::size_t to_end = ring_.lines_to_end(next_);
    if (next_ + lines > window_end && lines <= window_ && next_ + to_end + lines <= room_end_) {
      skip(to_end);
      window_end = next_ + window_;
    }
    room_end_ = std::min(room_end_, window_end);
  }

  /// Fills the record but for its stamp. The head line comes last and in one go: the consumer polls it, and a line that
  /// is written twice may travel twice.
  void write(const RecordLayout& layout, transport::Header header, std::span<const std::byte> prefix,
             std::span<const std::byte> body) noexcept {
    std::byte* const record = ring_.line(next_);
    std::memset(&middle_[ring_.index(next_)] + 1, 1, layout.lines - 1);
    const std::size_t in_head = layout.body_offset < line_bytes ? line_bytes - layout.body_offset : 0;
    if (body.size() > in_head) {
      std::byte* const rest = record + layout.body_offset + in_head;
      std::memcpy(rest, body.data() + in_head, body.size() - in_head);
      body = body.first(in_head);
    }
    if (!body.empty()) std::memcpy(record + layout.body_offset, body.data(), body.size());
    if (!prefix.empty()) std::memcpy(record + RecordLayout::prefix_offset, prefix.data(), prefix.size());
    std::memcpy(record + RecordLayout::header_offset, &header, sizeof header);
  }

  void publish(std::size_t lines, std::size_t prefix, std::size_t body) noexcept {
    std::uint8_t& after_is_middle = middle_[ring_.index(next_ + lines)];
    if (after_is_middle != 0) [[unlikely]] {
      ring_.stamp(next_ + lines).store(0, std::memory_order_relaxed);
      after_is_middle = 0;
    }
    ring_.stamp(next_).store(Stamp::make(ring_.lap(next_), prefix, body), std::memory_order_release);
    next_ += lines;
  }

  /// Sends the consumer to the start of the ring, because the next record does not fit before its end.
  void skip(std::size_t to_end) noexcept { publish(to_end, 0, Stamp::skip_body); }

  RingView ring_;
  std::uint64_t next_ = 0;            ///< position of the next record
  std::uint64_t room_end_;            ///< lines before this position are known to be free, and in the window
  std::size_t window_;                ///< lines at the start of the ring that there is memory for
  std::vector<std::uint8_t> middle_;  ///< 1 for a line whose first word belongs to a body
  std::optional<std::uint64_t> nonsense_;
};

/// What became of an attempt to take a record.
enum class [[nodiscard]] Taken : std::uint8_t{
    none,   ///< there is none
    one,    ///< it was delivered
    wrong,  ///< what stands there is no record
};

/// The consuming half.
class RingConsumer {
 public:
  RingConsumer(std::byte* memory, std::size_t lines) noexcept
      : ring_(memory, lines), window_(first_window(lines)), release_after_(window_ / 8) {}

  /// Whether a record waits.
  bool ready() const noexcept { return Stamp::lap(stamp()) == ring_.lap(next_); }

  /// Hands the oldest record to `deliver(header, prefix, body)` and releases it.
  template <class Deliver>
  Taken pop(Deliver deliver) {
    std::uint64_t published = stamp();
    if (Stamp::lap(published) != ring_.lap(next_)) return Taken::none;
    if (Stamp::body(published) == Stamp::skip_body) [[unlikely]] {
      next_ += ring_.lines_to_end(next_);
      published = stamp();
      if (Stamp::lap(published) != ring_.lap(next_)) return Taken::none;
    }
    const std::size_t prefix = Stamp::prefix(published);
    const std::size_t body = Stamp::body(published);
    const RecordLayout layout(prefix, body);
    if (!Stamp::in_one_line(published) && !fits(layout, prefix, body)) [[unlikely]]
      return Taken::wrong;
    const std::byte* const record = ring_.line(next_);
    transport::Header header;
    std::memcpy(&header, record + RecordLayout::header_offset, sizeof header);
    deliver(header, std::span(record + RecordLayout::prefix_offset, prefix),
            std::span(record + layout.body_offset, body));
    next_ += layout.lines;
    if (next_ - released_ >= release_after_) [[unlikely]]
      release();
    return Taken::one;
  }

  /// Where the next record begins, and what stands there.
  std::uint64_t position() const noexcept { return next_; }
  std::uint64_t stamp() const noexcept { return ring_.stamp(next_).load(std::memory_order_acquire); }

 private:
  bool fits(const RecordLayout& layout, std::size_t prefix, std::size_t body) const noexcept {
    return prefix <= ring_max_prefix && prefix + body <= ring_max_body(ring_.count()) &&
           layout.lines <= ring_.lines_to_end(next_);
  }

  void release() noexcept {
    while (ring_.index(next_) >= window_) window_ = next_window(window_, ring_.count());
    release_after_ = window_ / 8;
    released_ = next_;
    ring_.control().released.store(released_, std::memory_order_release);
  }

  RingView ring_;
  std::uint64_t next_ = 0;      ///< position of the next record
  std::uint64_t released_ = 0;  ///< what the producer has been told
  std::size_t window_;          ///< of the producer, at least
  std::size_t release_after_;   ///< lines that the producer is told of together
};

}  // namespace bowline::shm
