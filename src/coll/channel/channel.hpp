// SPDX-License-Identifier: BSD-3-Clause
// Channel: the operations that a collective algorithm may use. Algorithms are coroutines over a channel, so the same
// function runs blocking, non-blocking, and in the simulator, which moves no data and only counts time.
//
// An algorithm moves, combines and stores data through its channel only, and never reads their values.
#pragma once

#include <algorithm>
#include <array>
#include <coroutine>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "base/completion.hpp"
#include "base/error.hpp"
#include "coll/channel/reduction.hpp"

namespace bowline::coll {

class Channel;
class Hierarchy;
class Slots;

/// A transfer that has started; co_await it to wait for its end. Every transfer must be awaited. If another transfer
/// has failed, a dropped transfer is cancelled if possible. g++ 12 needs a named variable: `auto sent =
/// channel.send(...); co_await sent;`.
class [[nodiscard]] Transfer {
 public:
  Transfer(Channel& channel, Completion* completion) noexcept : channel_(&channel), completion_(completion) {}
  Transfer(Transfer&& other) noexcept
      : channel_(other.channel_), completion_(std::exchange(other.completion_, nullptr)) {}
  Transfer& operator=(Transfer&& other) noexcept {
    std::swap(channel_, other.channel_);
    std::swap(completion_, other.completion_);
    return *this;
  }
  ~Transfer();

  bool await_ready() const noexcept { return completion_ == nullptr || completion_->done; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { completion_->waiter = waiter; }
  /// A failed transfer fails the channel, or throws Error (Channel::fail).
  void await_resume();

 private:
  Channel* channel_;
  Completion* completion_;  ///< nullptr: completed at once
};

/// Memory of an algorithm, for the lifetime of this object. Aligned for any type; not initialized.
class Scratch {
 public:
  Scratch(Channel& channel, std::size_t bytes);
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  std::byte* data() const noexcept { return bytes_.data(); }
  std::size_t size() const noexcept { return bytes_.size(); }
  operator std::span<std::byte>() const noexcept { return bytes_; }
  operator std::span<const std::byte>() const noexcept { return bytes_; }
  std::span<std::byte> first(std::size_t count) const noexcept { return bytes_.first(count); }
  std::span<std::byte> subspan(std::size_t offset, std::size_t count) const noexcept {
    return bytes_.subspan(offset, count);
  }

 private:
  Channel& channel_;
  std::span<std::byte> bytes_;
};

/// One member's view of the members of a collective operation. Ranks are positions in the team.
class Channel {
 public:
  Channel(int rank, int size) noexcept : rank_(rank), size_(size) {}
  virtual ~Channel() = default;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  /// The hardware hierarchy of the members, which composed algorithms use; nullptr if it is not known. The channel of
  /// some of the members has none.
  virtual const Hierarchy* hierarchy() const { return nullptr; }

  /// Between two members, transfers arrive in the order in which they started. The data must stay unchanged until the
  /// end.
  Transfer send(int to, std::span<const std::byte> data) { return {*this, begin_send(to, data)}; }
  Transfer receive(int from, std::span<std::byte> data) { return {*this, begin_receive(from, data)}; }

  /// Memory that the members share, for algorithms with `shared` set.
  Slots& slots() const noexcept { return *slots_; }
  /// Whether an algorithm may run before its task is started: its function may then do all work that needs no waiting.
  bool at_once() const noexcept { return at_once_; }
  /// Whether a `shared` algorithm may be chosen; only TeamChannel has sequence numbers for it.
  virtual bool takes_sequence() const noexcept { return false; }

  /// Records that the operation has failed at this member. The algorithm still continues to its end, because other
  /// members wait for its messages: they get the error instead of the data and fail as well. From now on received data
  /// are dropped, and nothing is copied or combined. A channel that does not support this throws the error.
  virtual void fail(const Error& why) { throw Error(why); }
  /// Whether the operation has failed; if so, expected data are missing.
  bool failed() const noexcept { return failure() != nullptr; }
  /// Throws the error if the operation has failed. To be called before data are read, and at the end of the operation.
  void check() const {
    if (const Error* const why = failure()) [[unlikely]]
      throw Error(*why);
  }
  /// The error; nullptr if the operation has not failed.
  virtual const Error* failure() const noexcept { return nullptr; }

  /// Copies. `from` and `to` may be the same memory, but must not overlap partially.
  virtual void copy(std::span<const std::byte> from, std::byte* to);
  /// inout = left (op) inout, for as many elements as `inout` holds. `left` is the operand of the lower ranks.
  virtual void combine(const Reduction& reduction, const std::byte* left, std::span<std::byte> inout) {
    reduction.combine(left, inout);
  }

 protected:
  friend class Transfer;
  friend class Scratch;
  friend class SubChannel;
  virtual Completion* begin_send(int to, std::span<const std::byte> data) = 0;
  virtual Completion* begin_receive(int from, std::span<std::byte> data) = 0;
  /// Releases a completion that is done. If the transfer has failed, calls fail() or throws Error.
  virtual void end(Completion& completion) = 0;
  /// Releases a completion for which no coroutine waits.
  virtual void abandon(Completion& completion) noexcept = 0;
  virtual std::byte* take_scratch(std::size_t bytes);
  virtual void give_scratch(std::byte* memory, std::size_t bytes) noexcept;

  Slots* slots_ = nullptr;
  bool at_once_ = false;

 public:
  /// The shared memory of the members on this node, for one stage of an operation.
  struct NodeMemory {
    Slots* slots = nullptr;       ///< nullptr: messages serve the stage
    bool oversubscribed = false;  ///< whether the members share cores
  };
  static constexpr std::size_t node_sequences =
      2;  ///< sequence numbers of a composed operation: one inwards, one outwards

  /// The caller that runs a composed algorithm calls take_node_sequences() in the order of the operations, if
  /// takes_node_sequences() is true, and open_node_slots() when the memory is ready. Members of this node then share
  /// memory.
  virtual bool takes_node_sequences() const noexcept { return false; }
  virtual void take_node_sequences() {}
  virtual void open_node_slots() {}
  /// The memory for the next stage among exactly the members on this node.
  virtual NodeMemory next_node_memory() { return {}; }

 private:
  int rank_;
  int size_;
};

/// A queue of at most `capacity` pending transfers, in the order in which they started.
///
///   if (window.full()) { auto oldest = window.pop(); co_await oldest; }
///   window.push(channel.send(...));
///   while (!window.empty()) { auto oldest = window.pop(); co_await oldest; }
template <std::size_t capacity>
class TransferWindow {
 public:
  bool empty() const noexcept { return count_ == 0; }
  bool full() const noexcept { return count_ == capacity; }
  void push(Transfer&& transfer) { transfers_[(first_ + count_++) % capacity].emplace(std::move(transfer)); }
  /// The oldest, to be awaited.
  Transfer pop() {
    std::optional<Transfer>& oldest = transfers_[first_];
    Transfer taken = std::move(*oldest);
    oldest.reset();
    first_ = (first_ + 1) % capacity;
    --count_;
    return taken;
  }

 private:
  std::array<std::optional<Transfer>, capacity> transfers_;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

inline Transfer::~Transfer() {
  if (completion_ != nullptr) [[unlikely]]
    channel_->abandon(*completion_);
}

inline void Transfer::await_resume() {
  if (Completion* const completion = std::exchange(completion_, nullptr)) channel_->end(*completion);
}

inline Scratch::Scratch(Channel& channel, std::size_t bytes)
    : channel_(channel), bytes_(channel.take_scratch(bytes), bytes) {}

inline Scratch::~Scratch() {
  channel_.give_scratch(bytes_.data(), bytes_.size());
}

}  // namespace bowline::coll
