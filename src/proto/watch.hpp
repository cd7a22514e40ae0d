// SPDX-License-Identifier: BSD-3-Clause
// Watch: a coroutine that waits for a word in memory which several processes share.
//
// Whoever writes such a word sends no message. So a process that goes to sleep while it watches says so beside the
// word, before it says so in its inbox: who writes the word looks there, and wakes the process through its endpoint.
//
// A process that has ended moves no word on. So a watch says who is to do it, and fails when that one is lost.
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>

#include "base/failure.hpp"
#include "base/list.hpp"

namespace bowline::proto {

/// In shared memory: that one process sleeps, and how many do of those who share the memory.
struct SleepNotice {
  std::atomic<std::uint32_t>* mine = nullptr;
  std::atomic<std::uint32_t>* all = nullptr;

  void put_up() const noexcept {
    if (mine != nullptr && mine->exchange(1, std::memory_order_seq_cst) == 0) all->fetch_add(1);
  }
  void take_down() const noexcept {
    if (mine == nullptr || mine->load(std::memory_order_relaxed) == 0) return;
    if (mine->exchange(0, std::memory_order_seq_cst) == 1) all->fetch_sub(1);
  }
};

/// The processes that share the memory.
class Sharers {
 public:
  virtual int world_rank(int member) const noexcept = 0;
  /// Whether the process has ended, as the system says: asked about those with whom there is no contact.
  virtual bool ended(int member) noexcept = 0;

 protected:
  ~Sharers() = default;
};

/// Waits until the word has come as far as `value`; both count on forever, modulo 2^64. Leaves its list when destroyed.
struct Watch final : ListNode {
  Watch(const std::atomic<std::uint64_t>& word_, std::uint64_t value_, SleepNotice notice_) noexcept
      : word(&word_), value(value_), notice(notice_) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (linked()) List<Watch>::remove(*this);
  }

  static bool reached(const std::atomic<std::uint64_t>& word, std::uint64_t value) noexcept {
    return static_cast<std::int64_t>(word.load(std::memory_order_acquire) - value) >= 0;
  }
  bool reached() const noexcept { return reached(*word, value); }
  /// The world rank of the process that is to move the word on; negative if that is this one.
  int rank() const noexcept { return sharers == nullptr ? -1 : sharers->world_rank(member); }
  /// Whether it has ended without that.
  bool lost() const noexcept { return sharers != nullptr && sharers->ended(member) && !reached(); }

  const std::atomic<std::uint64_t>* word;
  std::uint64_t value;
  SleepNotice notice;
  std::coroutine_handle<> waiter;
  Sharers* sharers = nullptr;  ///< whose `member` moves the word on; nullptr: this process does
  int member = 0;              ///< among them
  Failure failure;             ///< that one is lost, and `waiter` was resumed all the same
};

}  // namespace bowline::proto
