// SPDX-License-Identifier: BSD-3-Clause
// Channel: what a collective algorithm may do. Algorithms are coroutines over a channel, so that the same text runs
// blocking, non-blocking, and over a model of a network.
#pragma once

#include <coroutine>
#include <cstddef>
#include <span>
#include <utility>

#include "base/completion.hpp"

namespace bowline::coll {

class Channel;

/// A transfer that has begun; co_await it to wait for its end. Every transfer must be awaited. With g++ 12 it has to be
/// a named variable first: `auto sent = channel.send(...); co_await sent;`.
class [[nodiscard]] Transfer {
 public:
  Transfer(Channel& channel, Completion* completion) noexcept : channel_(channel), completion_(completion) {}
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  bool await_ready() const noexcept { return completion_ == nullptr || completion_->done; }
  void await_suspend(std::coroutine_handle<> waiter) noexcept { completion_->waiter = waiter; }
  /// Throws Error if the transfer failed.
  void await_resume();

 private:
  Channel& channel_;
  Completion* completion_;  ///< nullptr: was done at once
};

/// The members of one collective operation as one of them sees them. Ranks are positions in the team.
class Channel {
 public:
  Channel(int rank, int size) noexcept : rank_(rank), size_(size) {}
  virtual ~Channel() = default;

  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }

  /// Between two members, transfers arrive in the order in which they were begun. The data must stay until the end.
  Transfer send(int to, std::span<const std::byte> data) { return {*this, begin_send(to, data)}; }
  Transfer receive(int from, std::span<std::byte> data) { return {*this, begin_receive(from, data)}; }

 protected:
  friend class Transfer;
  virtual Completion* begin_send(int to, std::span<const std::byte> data) = 0;
  virtual Completion* begin_receive(int from, std::span<std::byte> data) = 0;
  /// Gives a completion that is done back; throws Error if the transfer failed.
  virtual void end(Completion& completion) = 0;

 private:
  int rank_;
  int size_;
};

inline void Transfer::await_resume() {
  if (Completion* const completion = std::exchange(completion_, nullptr)) channel_.end(*completion);
}

}  // namespace bowline::coll
