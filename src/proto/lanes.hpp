// SPDX-License-Identifier: BSD-3-Clause
// Lanes: the engines of one process. A communicator is served by one lane, chosen when it is made; threads in different
// lanes share nothing and never wait for each other. A thread that waits in one lane keeps the others moving, where no
// other thread does.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <utility>
#include <vector>

#include "base/wait.hpp"
#include "proto/context.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Engine;

class Lanes {
 public:
  /// `sleeper`: how this process waits for other processes; nullptr if there are none on this node.
  explicit Lanes(transport::Sleeper* sleeper = nullptr) noexcept : sleeper_(sleeper) {}

  /// Before any operation. The engine must outlive its use.
  void add(Engine& engine) { engines_.push_back(&engine); }
  /// Calls `settle` now, and now and then while a call waits: the process shares its cores, and goes back to the one
  /// that it prefers. For processes in which one thread at a time waits.
  void settle_with(std::function<void()> settle) {
    settle_ = std::move(settle);
    settle_();
  }
  std::size_t count() const noexcept { return engines_.size(); }
  Engine& operator[](std::size_t lane) const noexcept { return *engines_[lane]; }
  /// The engine that serves this context.
  Engine& of(std::uint32_t context) const noexcept { return *engines_[lane_of(context)]; }

  /// What a call that waits in lane `mine`, whose lock it holds, does after a fruitless attempt. True if it has slept.
  bool rest(Engine& mine, Rest kind);
  /// What a call that waits without holding any lane's lock does.
  void rest(Rest kind);
  /// Moves everything in all lanes but this one that no thread is in; returns the number of events.
  unsigned progress(const Engine* but = nullptr);
  /// The same for all lanes, for a call that does not wait, such as MPI_Test: yields if many were fruitless in a row.
  void poll();

  /// What the progress thread does (progress_thread.hpp): moves everything in all lanes that no thread is in.
  struct Round {
    unsigned events = 0;
    bool outstanding = false;  ///< whether operations there have begun and not ended
    bool occupied = false;     ///< whether there is a lane that another thread is in
  };
  Round look_after();
  /// It sleeps until something may have moved, or for so long: calls of other threads, which return, may leave behind
  /// what waits for a word that it does not know of.
  void doze(std::chrono::milliseconds longest);

  /// Wakes the threads of this process that sleep: something that they wait for may have ended.
  void wake_sleepers() noexcept {
    if (sleeping_.load(std::memory_order_seq_cst) != 0) sleeper_->wake();
  }

 private:
  void rested(bool slept, bool waits = true);
  bool busy_but(const Engine* mine);
  void withdraw() noexcept;
  void got_up() noexcept;

  transport::Sleeper* sleeper_;
  std::vector<Engine*> engines_;
  std::function<void()> settle_;
  unsigned yields_ = 0;                ///< for settling
  std::atomic<unsigned> sleeping_{0};  ///< threads that sleep or are about to; 0 where there is no sleeper
};

}  // namespace bowline::proto
