// SPDX-License-Identifier: BSD-3-Clause
// Watch: a coroutine that waits for a word in memory that several processes share.
//
// The writer of such a word sends no message. A process that is about to sleep while it watches a word therefore sets a
// notice beside the word, before it announces its sleep in its inbox. The writer of the word checks the notice and
// wakes the process through its endpoint.
//
// A process that has ended advances no word. A watch therefore names the process that is to advance the word, and fails
// when that process is lost.
#pragma once

#include <coroutine>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/failure.hpp"
#include "base/list.hpp"
#include "proto/context.hpp"

namespace bowline::proto {

/// Words in shared memory: `mine` is 1 while this process sleeps, `all` is the number of sleeping processes among those
/// that share the memory.
struct SleepNotice {
  Atomic<std::uint32_t>* mine = nullptr;
  Atomic<std::uint32_t>* all = nullptr;

  /// Whether any process may sleep. To be called after changing a word for which others may wait. The other half of the
  /// fence is the sleeper's membarrier: see shm/doorbell.hpp.
  static bool any_up(const Atomic<std::uint32_t>& all) noexcept {
    compiler_fence();
    return all.load(std::memory_order_relaxed) != 0;
  }
  /// Whether the process with this notice may sleep, if any_up().
  static bool is_up(const Atomic<std::uint32_t>& mine) noexcept { return mine.load(std::memory_order_relaxed) != 0; }

  void put_up() const noexcept {
    if (mine != nullptr && mine->exchange(1, std::memory_order_seq_cst) == 0) all->fetch_add(1);
  }
  void take_down() const noexcept {
    if (mine == nullptr || mine->load(std::memory_order_relaxed) == 0) return;
    if (mine->exchange(0, std::memory_order_seq_cst) == 1) all->fetch_sub(1);
  }
};

struct Watch;

/// The processes that share the memory.
class Sharers {
 public:
  virtual int process(int member) const noexcept = 0;
  /// Whether the process has ended, according to the operating system. Needed for processes without a connection.
  virtual bool ended(int member) noexcept = 0;
  /// Why the member will never advance the word to the value although its process may live; nullptr if it still may.
  virtual Failure overtaken(const Watch&) noexcept { return nullptr; }
  /// The context of the communicator whose operations wait for these words; no_context if there is none.
  virtual std::uint32_t context() const noexcept { return no_context; }

 protected:
  ~Sharers() = default;
};

/// Waits until the word has reached `value`. Both only grow, modulo 2^64. The destructor removes the watch from its
/// list.
struct Watch final : ListNode {
  Watch(const Atomic<std::uint64_t>& word_, std::uint64_t value_, SleepNotice notice_) noexcept
      : word(&word_), value(value_), notice(notice_) {}
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (linked()) List<Watch>::remove(*this);
  }

  static bool reached(const Atomic<std::uint64_t>& word, std::uint64_t value) noexcept {
    return static_cast<std::int64_t>(word.load(std::memory_order_acquire) - value) >= 0;
  }
  bool reached() const noexcept { return reached(*word, value); }
  /// Whether the waiter is to be resumed.
  bool ended() const noexcept { return reached() || failure != nullptr; }
  /// Index of the process that is to advance the word; negative if that is this process.
  int rank() const noexcept { return sharers == nullptr ? -1 : sharers->process(member); }
  /// Whether that process has ended without advancing the word to `value`.
  bool lost() const noexcept { return sharers != nullptr && sharers->ended(member) && !reached(); }

  const Atomic<std::uint64_t>* word;
  std::uint64_t value;
  SleepNotice notice;
  std::coroutine_handle<> waiter;
  Sharers* sharers = nullptr;  ///< whose `member` advances the word; nullptr: this process advances it
  int member = 0;              ///< member among the sharers
  Failure failure;             ///< why the word will not be advanced; nullptr if it may be
};

}  // namespace bowline::proto
