// SPDX-License-Identifier: BSD-3-Clause
// Channel: what a collective algorithm may do. Algorithms are coroutines over a channel, so that the same text runs
// blocking, non-blocking, and over a model of a network, which moves no data and only counts the time.
//
// Therefore an algorithm moves, combines and keeps data by its channel alone, and never looks at them.
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
#include "coll/reduction.hpp"

namespace bowline::coll {

class Channel;
class Hierarchy;
class Slots;

/// A transfer that has begun; co_await it to wait for its end. Every transfer must be awaited; one that is dropped
/// because another has failed is taken back as far as that is possible. With g++ 12 it has to be a named variable
/// first: `auto sent = channel.send(...); co_await sent;`.
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
  /// If the transfer has failed the channel has, or Error is thrown (Channel::fail).
  void await_resume();

 private:
  Channel* channel_;
  Completion* completion_;  ///< nullptr: was done at once
};

/// Memory of an algorithm, for as long as this object lives. Aligned as any type needs; nothing in it at first.
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

/// The members of one collective operation as one of them sees them. Ranks are positions in the team.
class Channel {
 public:
  Channel(int rank, int size) noexcept : rank_(rank), size_(size) {}
  virtual ~Channel() = default;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  /// The hardware that the members share, by which algorithms are composed; nullptr if nothing is known of it. A part
  /// of the members, as a channel of its own, has none.
  virtual const Hierarchy* hierarchy() const { return nullptr; }

  /// Between two members, transfers arrive in the order in which they were begun. The data must stay until the end.
  Transfer send(int to, std::span<const std::byte> data) { return {*this, begin_send(to, data)}; }
  Transfer receive(int from, std::span<std::byte> data) { return {*this, begin_receive(from, data)}; }

  /// Memory that the members share, for algorithms that are marked as `shared`.
  Slots& slots() const noexcept { return *slots_; }
  /// Whether an algorithm may go as far as it can before it returns its task, and need not wait to be started.
  bool at_once() const noexcept { return at_once_; }
  /// Whether such an algorithm may be chosen; TeamChannel alone gives them turns.
  virtual bool takes_turns() const noexcept { return false; }

  /// The operation has failed here. The algorithm goes on to its end all the same, because others wait for what it
  /// sends: they get the error instead of the data, fail as well, and so on. What is received from then on is dropped,
  /// and nothing is copied or combined. A channel that cannot do that throws the error.
  virtual void fail(const Error& why) { throw Error(why); }
  /// Whether it has: then data that were to come are not there.
  bool failed() const noexcept { return failure() != nullptr; }
  /// Throws the error if it has. Before anybody looks at data, and at the end of the operation.
  void check() const {
    if (const Error* const why = failure()) [[unlikely]]
      throw Error(*why);
  }
  /// nullptr if it has not.
  virtual const Error* failure() const noexcept { return nullptr; }

  /// The two may be the same memory, but not overlap otherwise.
  virtual void copy(std::span<const std::byte> from, std::byte* to);
  /// inout = left (op) inout: `left` comes from the lower ranks. As many elements as `inout` holds.
  virtual void combine(const Reduction& reduction, const std::byte* left, std::span<std::byte> inout) {
    reduction.combine(left, inout);
  }

 protected:
  friend class Transfer;
  friend class Scratch;
  friend class SubChannel;
  virtual Completion* begin_send(int to, std::span<const std::byte> data) = 0;
  virtual Completion* begin_receive(int from, std::span<std::byte> data) = 0;
  /// Gives a completion that is done back; if the transfer has failed, fail() or throws Error.
  virtual void end(Completion& completion) = 0;
  /// Gives a completion back that nobody will wait for.
  virtual void abandon(Completion& completion) noexcept = 0;
  virtual std::byte* take_scratch(std::size_t bytes);
  virtual void give_scratch(std::byte* memory, std::size_t bytes) noexcept;

  Slots* slots_ = nullptr;
  bool at_once_ = false;

 public:
  /// What the members on this one's node have to themselves, for one stage of an operation.
  struct NodeMemory {
    Slots* slots = nullptr;  ///< nullptr: messages serve the stage
    bool crowded = false;    ///< whether they share cores
  };
  static constexpr std::size_t node_turns = 2;  ///< that a composed operation takes there: one in, and one out

  /// By whoever runs a composed algorithm, where members of this node share memory, in the order of the operations;
  /// then, when the memory is there, open_node_turns(). Only where takes_node_turns() says so.
  virtual bool takes_node_turns() const noexcept { return false; }
  virtual void take_node_turns() {}
  virtual void open_node_turns() {}
  /// For the next stage among exactly the members on this node.
  virtual NodeMemory next_node_memory() { return {}; }

 private:
  int rank_;
  int size_;
};

/// Transfers that are under way at the same time, at most `capacity`, in the order in which they were begun.
///
///   if (window.full()) { auto oldest = window.pop(); co_await oldest; }
///   window.push(channel.send(...));
///   while (!window.empty()) { auto oldest = window.pop(); co_await oldest; }
template <std::size_t capacity>
class Window {
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
