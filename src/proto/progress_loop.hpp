// SPDX-License-Identifier: BSD-3-Clause
// The progress loop of an engine: it polls the devices, and calls wait in it.
//
// Threading: as the engine. A call that waits may pass the lane's lock on to another thread meanwhile.
#pragma once

#include <coroutine>
#include <functional>
#include <span>
#include <vector>

#include "base/lock.hpp"
#include "base/wait.hpp"
#include "proto/coroutines.hpp"
#include "proto/long_wait.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Lanes;

/// Of a wait that never gives up.
struct Never {
  bool operator()() const noexcept { return false; }
};

class ProgressLoop {
 public:
  /// `sink`: the engine, which takes what arrives. `coroutines`: of the engine.
  ProgressLoop(Engine& engine, transport::Sink& sink, Coroutines& coroutines, const WaitPolicy& policy, OwnerLock& lock,
               Lanes* lanes) noexcept
      : engine_(engine),
        sink_(sink),
        coroutines_(coroutines),
        policy_(policy),
        first_policy_(WaitProfile::in_use() != nullptr ? policy.brief() : policy),
        lock_(lock),
        lanes_(lanes) {}

  /// Throws std::bad_alloc.
  void add(transport::Device& device) { devices_.push_back(&device); }
  /// Not to be called during progress.
  void remove(transport::Device& device) noexcept { std::erase(devices_, &device); }
  std::span<transport::Device* const> devices() const noexcept { return devices_; }

  /// Makes progress: polls the devices, sends waiting messages and resumes coroutines. Returns the number of events, 0
  /// if nothing happened.
  unsigned progress() noexcept;
  /// As progress(), for calls that do not wait, such as MPI_Iprobe: yields after many calls in a row without an event.
  void poll() noexcept {
    if (progress() != 0) {
      polls_.progressed();
    } else if (polls_.should_yield(policy_)) {
      rest_long(Rest::yield, false);
    }
  }
  unsigned poll_devices() noexcept;
  /// Whether something has arrived, also where a poll looks only from time to time. The next poll then finds it.
  bool device_ready() noexcept;
  /// Whether one of the devices is a network, over which processes of other nodes make contact.
  bool has_network() const noexcept;
  /// Whether progress() would find a message, a coroutine to resume, or a watched word that has reached its value.
  bool anything_ready() noexcept;
  /// co_await this to continue in the next round of progress, after all devices have been polled.
  auto next_round() noexcept {
    struct Awaiter {
      Coroutines& coroutines;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> waiter) const { coroutines.resume_later(waiter); }
      void await_resume() const noexcept {}
    };
    return Awaiter{coroutines_};
  }

  /// Returns when the request is done. `describe`: says what the request waits for.
  void wait(const Request& request, Awaiting::Describe describe) { wait_or(request, describe, Never()); }
  /// Returns when the request is done, or if `gives_up()` is true, which is asked only once the wait is long.
  template <class GivesUp>
  void wait_or(const Request& request, Awaiting::Describe describe, GivesUp gives_up) {
    if (coroutines_.any_watch() && !lock_.enabled()) look_for(request);
    wait_until([&] { return static_cast<bool>(request.done); }, {describe, &request}, Awaited::one, gives_up);
  }
  /// Makes progress until `condition()` holds, or, once the wait is long, `gives_up()`. `awaiting`: what the launcher
  /// is told if that takes long.
  template <class Condition, class GivesUp = Never>
  void wait_until(Condition condition, Awaiting awaiting, Awaited awaited = Awaited::one, GivesUp gives_up = {}) {
    Waiter waiter(first_policy_, awaited);
    while (!condition()) {
      if (progress() != 0) {
        waiter.progressed();
      } else if (const Rest kind = waiter.next(); kind != Rest::sleep) [[likely]] {
        rest(kind);
      } else {
        wait_long([&] { return condition() || gives_up(); }, awaiting);
        break;
      }
    }
    if (lock_.enabled()) [[unlikely]]
      wait_ended();
  }
  /// Waits until all sends of this process have completed and the devices are drained, or until `abandons`, which is
  /// called repeatedly, returns true. `last`: the program makes no further call that could report a failure of these
  /// sends.
  void drain(const std::function<bool()>& abandons, bool last);
  /// Whether nothing remains to be sent: everything is handed over and all devices are drained.
  bool flushed() noexcept;

  /// Spins, yields or sleeps. A waiting call does this after a round of progress without events.
  void rest(Rest kind) noexcept {
    if (kind == Rest::spin && !lock_.enabled()) [[likely]]
      return cpu_relax();
    rest_long(kind);
  }
  /// Before the first sleep of a wait: operations that wait for a process which is known to be lost fail at once.
  void look_for_lost() noexcept;
  /// Wakes the threads of this process that sleep in a wait: a thread outside of the lane has changed a word for which
  /// a watch may wait. Needs no lock.
  void wake_sleepers() noexcept;

  const WaitPolicy& policy() const noexcept { return policy_; }
  OwnerLock& lock() const noexcept { return lock_; }
  Lanes* lanes() const noexcept { return lanes_; }

 private:
  unsigned progress_rare() noexcept;
  void look_for(const Request& request) noexcept;
  void rest_long(Rest kind, bool waits = true) noexcept;
  void wait_ended() const noexcept;

  /// The rest of a wait whose thread is about to sleep for the first time; in a profile, the rest of each wait that is
  /// not short. It is a function of its own, so that the code of a short wait stays short.
  template <class Condition>
  [[gnu::cold, gnu::noinline]] void wait_long(Condition condition, Awaiting awaiting) {
    look_for_lost();
    const bool profiled = WaitProfile::in_use() != nullptr;
    Waiter waiter = profiled ? Waiter(policy_) : Waiter::asleep(policy_);
    LongWait wait;
    if (profiled) wait.look(engine_, awaiting);
    while (!condition()) {
      wait.begin_round(engine_);
      if (const unsigned events = progress(); events != 0) {
        waiter.progressed();
        wait.progressed(events);
      } else if (const Rest kind = waiter.next(); kind == Rest::spin) {
        rest(kind);
      } else {
        wait.look(engine_, awaiting);
        rest(kind);
      }
    }
  }

  Engine& engine_;
  transport::Sink& sink_;
  Coroutines& coroutines_;
  std::vector<transport::Device*> devices_;
  const WaitPolicy policy_;
  const WaitPolicy first_policy_;  ///< until wait_long()
  Polls polls_;
  OwnerLock& lock_;
  Lanes* lanes_;  ///< the engines of this process; nullptr if there is only this one
};

}  // namespace bowline::proto
