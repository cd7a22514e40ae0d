// SPDX-License-Identifier: BSD-3-Clause
// Ring: a single-producer, single-consumer queue of messages in shared memory.
//
// The ring is an array of cache lines. A message is a record of whole, adjacent lines:
//
//   line 0   | stamp 8 B | header 16 B | prefix | body ...      short body: right behind
//   line 1.. | body (from the start of a line when it is long, so that it is copied aligned)
//
// The stamp is the only word on which both sides synchronize. It contains the number of the lap in which it was
// written. A line with the stamp of an earlier lap is therefore empty without being cleared, and a short message costs
// the transfer of one line. The producer keeps this invariant:
//
//   the first word of the line after the last published record is not a stamp of the producer's lap at that line.
//
// An old stamp never violates the invariant, but the middle of an old body could look like such a stamp. The producer
// records in private memory which lines contain such middles. If the line of the next record is one of them, the
// producer clears that line's first word before it publishes the current record (both are stores of one core,
// release-ordered). The consumer never writes into the ring, and the producer never reads the ring, so lines travel in
// one direction.
//
// Flow control: from time to time the consumer stores the number of lines that it has released in
// RingControl::released. The producer reads it only when the room that it knows of is used up. Both counts only grow;
// 64 bits do not wrap.
//
// A long body may stand outside of the ring, in a copy buffer of the producer (copy_buffers.hpp). Its record holds the
// place of the body, a LentBody, and the consumer's owner finds the buffer and gives it back.
//
// The window: the producer uses only the first lines of the ring, and returns from there to the start if the consumer
// has released the start by then. Otherwise the owner of the producer gets memory for about twice as many lines and
// widens the window. A pair that communicates little thus takes two pages, and a pair that communicates much has the
// whole ring. The consumer does not know the window. It knows how far into the ring it has read, and derives from that
// how often it stores the number of released lines.
//
// Neither half trusts the other: the consumer takes no record that is longer than allowed or goes beyond the end of the
// ring, and the producer takes no impossible number of released lines. A ring that was found wrong stays wrong.
//
// Threads: one producer and one consumer, in different processes or threads; each calls only its own half.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "base/atomic.hpp"
#include "shm/ring_layout.hpp"
#include "transport/transport.hpp"

namespace bowline::shm {

/// The producing half.
class RingProducer {
 public:
  static constexpr std::size_t in_one_line = line_bytes - RecordLayout::prefix_offset;  ///< longest body

  /// `memory`: the control words and `window` lines of the ring. `window` is first_window(), one of the windows that
  /// follow it, or all lines.
  RingProducer(std::byte* memory, std::size_t lines, std::size_t window)
      : ring_(memory, lines), room_end_(window), window_(window), middle_(window) {}
  RingProducer(std::byte* memory, std::size_t lines) : RingProducer(memory, lines, lines) {}

  /// Publishes one message, or returns false if the window has no room for it.
  bool push(transport::Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept {
    if (prefix.empty() && body.size() <= in_one_line) [[likely]]
      return push_line(header, body);
    const RecordLayout layout(prefix.size(), body.size());
    const std::size_t to_end = ring_.lines_to_end(next_);
    const bool wraps = layout.lines > to_end;
    // One line more than the record: the line of the next record may have to be cleared, so it must be free too.
    if (!has_room((wraps ? to_end : 0) + layout.lines + 1)) [[unlikely]]
      return false;
    if (wraps) [[unlikely]]
      skip(to_end);
    write(layout, header, prefix, body);
    publish(layout.lines, prefix.size(), body.size());
    return true;
  }
  /// Whether push_lent() will succeed.
  bool has_room_for_lent() noexcept { return has_room(2); }
  /// Publishes a message whose body stands in a copy buffer. `prefix`: at most lent_prefix bytes. Returns false if the
  /// window has no room for it.
  bool push_lent(transport::Header header, std::span<const std::byte> prefix, const LentBody& body) noexcept {
    if (!has_room_for_lent()) return false;
    write(RecordLayout(prefix.size(), sizeof body), header, prefix, std::as_bytes(std::span(&body, 1)));
    publish(1, prefix.size(), Stamp::lent_body);
    return true;
  }

  /// Whether the consumer polls this ring. Call after a push. The value may be old, but not older than the value after
  /// the previous push. It is the latest one if the consumer has announced a sleep since, and its last look before the
  /// sleep has not found the record (doorbell.hpp).
  bool watched() const noexcept {
    compiler_fence();
    return ring_.control().watched.load(std::memory_order_relaxed) != 0;
  }
  std::size_t window() const noexcept { return window_; }
  /// Whether the window has room for such a message once the consumer has caught up, wherever the producer is. Such a
  /// message takes at most a quarter of the window, because the consumer does not report the last few released lines at
  /// once.
  bool takes(std::size_t prefix, std::size_t body) const noexcept {
    return RecordLayout(prefix, body).lines <= window_ / 4;
  }
  /// Uses the next window from now on. Its memory must exist. Throws std::bad_alloc.
  void widen() {
    const std::size_t wider = next_window(window_, ring_.count());
    middle_.resize(wider);
    window_ = wider;
    room_end_ = next_;  // has_room() computes it again
  }

  /// The number of released lines that the consumer has stored if that number is impossible; nothing is pushed any more
  /// then.
  std::optional<std::uint64_t> nonsense() const noexcept { return nonsense_; }
  /// Number of lines that the consumer can have released at most.
  std::uint64_t pushed() const noexcept { return next_; }

 private:
  /// push() for a message of one line. Such a message never wraps and needs no layout.
  bool push_line(transport::Header header, std::span<const std::byte> body) noexcept {
    if (!has_room(2)) [[unlikely]]
      return false;
    std::byte* const line = ring_.line(next_);
    if (!body.empty()) copy_to_shared(line + RecordLayout::prefix_offset, body.data(), body.size());
    copy_to_shared(line + RecordLayout::header_offset, &header, sizeof header);
    publish(1, 0, body.size());
    return true;
  }

  bool has_room(std::size_t lines) noexcept {
    if (next_ + lines <= room_end_) [[likely]]
      return true;
    const std::uint64_t released = ring_.control().released.load(std::memory_order_acquire);
    if (next_ - released > ring_.count()) [[unlikely]] {  // more than were pushed, or fewer than before
      nonsense_ = released;
      return false;
    }
    room_end_ = released + ring_.count();
    if (window_ < ring_.count()) stay_in_window(lines);
    return next_ + lines <= room_end_;
  }

  /// Limits the room up to `room_end_` to the window. Returns to the start of the ring if the lines fit there and not
  /// at the present place. A window is less than half of the ring or all of it, so there is always a free line for the
  /// skip record.
  void stay_in_window(std::size_t lines) noexcept {
    std::uint64_t window_end = next_ - ring_.index(next_) + window_;
    const std::size_t to_end = ring_.lines_to_end(next_);
    if (next_ + lines > window_end && lines <= window_ && next_ + to_end + lines <= room_end_) {
      skip(to_end);
      window_end = next_ + window_;
    }
    room_end_ = std::min(room_end_, window_end);
  }

  /// Fills the record except for its stamp. The first line is written last and without interruption: the consumer polls
  /// it, and a line that is written twice may travel twice.
  void write(const RecordLayout& layout, transport::Header header, std::span<const std::byte> prefix,
             std::span<const std::byte> body) noexcept {
    std::byte* const record = ring_.line(next_);
    std::memset(&middle_[ring_.index(next_)] + 1, 1, layout.lines - 1);
    const std::size_t in_head = layout.body_offset < line_bytes ? line_bytes - layout.body_offset : 0;
    if (body.size() > in_head) {
      std::byte* const rest = record + layout.body_offset + in_head;
      copy_to_shared(rest, body.data() + in_head, body.size() - in_head);
      body = body.first(in_head);
    }
    if (!body.empty()) copy_to_shared(record + layout.body_offset, body.data(), body.size());
    if (!prefix.empty()) copy_to_shared(record + RecordLayout::prefix_offset, prefix.data(), prefix.size());
    copy_to_shared(record + RecordLayout::header_offset, &header, sizeof header);
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

  /// Publishes a skip record that sends the consumer to the start of the ring.
  void skip(std::size_t to_end) noexcept { publish(to_end, 0, Stamp::skip_body); }

  RingView ring_;
  std::uint64_t next_ = 0;            ///< position of the next record
  std::uint64_t room_end_;            ///< lines before this position are known to be free and in the window
  std::size_t window_;                ///< lines at the start of the ring that have memory
  std::vector<std::uint8_t> middle_;  ///< 1 for a line whose first word belongs to a body
  std::optional<std::uint64_t> nonsense_;
};

/// The result of an attempt to take a record.
enum class [[nodiscard]] Taken : std::uint8_t{
    none,   ///< no record was published
    one,    ///< a record was delivered
    wrong,  ///< the ring contains an invalid record
};

/// The consuming half.
class RingConsumer {
 public:
  RingConsumer(std::byte* memory, std::size_t lines) noexcept
      : ring_(memory, lines), window_(first_window(lines)), release_after_(window_ / 8) {}

  /// Tells the producer whether this half polls the ring from now on. The producer may publish records before it reads
  /// that, also after the consumer's next look.
  void watch(bool watching) noexcept { ring_.control().watched.store(watching ? 1 : 0, std::memory_order_relaxed); }

  /// Whether a record waits.
  bool ready() const noexcept { return Stamp::lap(stamp()) == ring_.lap(next_); }

  /// Hands the oldest record to `deliver(header, prefix, body)` and releases it. A record whose body stands in a copy
  /// buffer goes to `deliver_lent(header, prefix, place)`, which returns false if there is no such buffer.
  template <class Deliver, class DeliverLent>
  Taken pop(Deliver deliver, DeliverLent deliver_lent) {
    std::uint64_t published = stamp();
    if (Stamp::lap(published) != ring_.lap(next_)) return Taken::none;
    if (Stamp::is_special(published)) [[unlikely]] {
      if (Stamp::body(published) == Stamp::skip_body) {
        next_ += ring_.lines_to_end(next_);
        published = stamp();
        if (Stamp::lap(published) != ring_.lap(next_)) return Taken::none;
      }
      if (Stamp::body(published) == Stamp::lent_body) return pop_lent(published, deliver_lent);
    }
    const std::size_t prefix = Stamp::prefix(published);
    const std::size_t body = Stamp::body(published);
    const RecordLayout layout(prefix, body);
    if (!Stamp::in_one_line(published) && !fits(layout, prefix, body)) [[unlikely]]
      return Taken::wrong;
    const std::byte* const record = ring_.line(next_);
    transport::Header header;
    copy_from_shared(&header, record + RecordLayout::header_offset, sizeof header);
    deliver(header, std::span(record + RecordLayout::prefix_offset, prefix),
            std::span(record + layout.body_offset, body));
    pass(layout.lines);
    return Taken::one;
  }
  /// Like the function above, for a consumer that knows no copy buffers.
  template <class Deliver>
  Taken pop(Deliver deliver) {
    return pop(deliver, [](auto...) { return false; });
  }

  /// The position of the next record in lines, and its stamp.
  std::uint64_t position() const noexcept { return next_; }
  std::uint64_t stamp() const noexcept { return ring_.stamp(next_).load(std::memory_order_acquire); }

 private:
  bool fits(const RecordLayout& layout, std::size_t prefix, std::size_t body) const noexcept {
    return prefix <= ring_max_prefix && prefix + body <= ring_max_body(ring_.count()) &&
           layout.lines <= ring_.lines_to_end(next_);
  }

  template <class DeliverLent>
  Taken pop_lent(std::uint64_t published, DeliverLent& deliver_lent) {
    const std::size_t prefix = Stamp::prefix(published);
    if (prefix > lent_prefix) return Taken::wrong;
    const std::byte* const record = ring_.line(next_);
    transport::Header header;
    LentBody body;
    copy_from_shared(&header, record + RecordLayout::header_offset, sizeof header);
    copy_from_shared(&body, record + RecordLayout::prefix_offset + prefix, sizeof body);
    if (!deliver_lent(header, std::span(record + RecordLayout::prefix_offset, prefix), body)) return Taken::wrong;
    pass(1);
    return Taken::one;
  }

  void pass(std::size_t lines) noexcept {
    next_ += lines;
    if (next_ - released_ >= release_after_) [[unlikely]]
      release();
  }

  void release() noexcept {
    while (ring_.index(next_) >= window_) window_ = next_window(window_, ring_.count());
    release_after_ = window_ / 8;
    released_ = next_;
    ring_.control().released.store(released_, std::memory_order_release);
  }

  RingView ring_;
  std::uint64_t next_ = 0;      ///< position of the next record
  std::uint64_t released_ = 0;  ///< last number stored for the producer
  std::size_t window_;          ///< a lower bound of the producer's window
  std::size_t release_after_;   ///< lines after which the number is stored
};

}  // namespace bowline::shm
