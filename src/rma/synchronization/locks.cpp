// SPDX-License-Identifier: BSD-3-Clause
// Windows: locks (MPI-5.0, section 12.5.3). The lock of a target lies in its control lines. Members on its node take it
// there; all others ask the target's process.
#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "rma/synchronization/epoch_events.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

struct LockWait {
  const Window& window;
  int rank;
};

proto::WaitDescription lock_awaited(proto::Engine&, const void* what) {
  const auto& wait = *static_cast<const LockWait*>(what);
  return {fmt::format("for the lock of rank {} of {}", wait.rank, wait.window.in_words()), WaitTargets::some_rank()};
}

/// Marks a target while a thread takes or releases its lock, which may wait, so that another thread does not do the
/// same.
class LockChange {
 public:
  LockChange(Target& target, proto::Engine& engine) noexcept : target_(target), engine_(engine) {
    target_.lock_changes = true;
  }
  ~LockChange() {
    target_.lock_changes = false;
    if (engine_.lock().enabled()) engine_.loop().wake_sleepers();  // a thread may wait for this thread
  }
  LockChange(const LockChange&) = delete;
  LockChange& operator=(const LockChange&) = delete;

 private:
  Target& target_;
  proto::Engine& engine_;
};

}  // namespace

/// Takes a lock that this process does not have, and that no other thread takes.
void Window::take_lock(Target& target, LockKind kind) {
  const LockChange change(target, engine_);
  const LockWait wait{*this, target.rank};
  const proto::Awaiting awaiting{&lock_awaited, &wait};
  if (target.control != nullptr) {
    TicketLock& lock = target.control->lock;
    const std::uint64_t ticket = lock.draw();
    if (!proto::Watch::reached(lock.word(kind), ticket)) [[unlikely]]
      node_->await(lock.word(kind), ticket, awaiting);
    lock.entered(kind, ticket);
    if (kind == LockKind::shared) node_->changed();
  } else {
    messages_.ask_for_lock(target, kind);
    engine_.wait_until([&] { return target.locks_granted == target.locks_asked || target.lost != nullptr; }, awaiting);
    if (target.lost != nullptr) throw Error(*target.lost);
  }
  target.held = kind;
  target.lock_is_real = true;
}

/// Takes a shared lock for MPI_Win_lock_all unless this process has it. If another thread takes the lock, waits for
/// that thread.
void Window::take_lock_once(Target& target) {
  const LockWait wait{*this, target.rank};
  while (target.held == LockKind::none) {
    if (!target.lock_changes) return take_lock(target, LockKind::shared);
    engine_.wait_until([&] { return !target.lock_changes; }, {&lock_awaited, &wait});
  }
}

/// Begins to complete the operations on a locked target. A target that was locked by a message releases its lock itself
/// when it has applied all of them.
void Window::begin_release(Target& target) {
  target.open = false;
  try {
    if (target.lock_is_real && target.control == nullptr) {
      if (target.path != &messages_) target.path->begin_flush(target);
      messages_.unlock(target, target.held);
      note_pending(target);
    } else if (target.pending) {
      begin_flush(target);
    }
  } catch (const Error& error) {
    if (target.failure == nullptr) target.failure = Failure(error);
  }
}

/// Releases the lock of a target whose operations are complete.
void Window::end_release(Target& target) noexcept {
  const LockKind kind = std::exchange(target.held, LockKind::none);
  if (!std::exchange(target.lock_is_real, false) || target.control == nullptr) return;
  target.control->lock.release(kind);
  node_->changed();
}

void Window::lock(LockKind kind, int rank, bool nocheck) {
  Target& at = target(rank);
  refuse_locks_if_unwanted();
  epochs_.check_lock(at);
  epochs_.locked();  // before the wait: other threads may then lock other targets, and begin no other epoch
  try {
    if (nocheck) {
      at.held = kind;
    } else {
      take_lock(at, kind);
    }
  } catch (...) {
    epochs_.unlocked();
    throw;
  }
  at.open = true;
  tell_epoch(epoch_begun, *this, EpochKind::lock, rank);
}

/// The lock is released even if an operation has failed.
void Window::unlock(int rank) {
  Target& at = target(rank);
  poll_sometimes();
  epochs_.check_unlock(at);
  {
    const LockChange change(at, engine_);
    begin_release(at);
    if (at.pending) await_flushed(at);
    end_release(at);
  }
  epochs_.unlocked();
  tell_epoch(epoch_ended, *this, EpochKind::lock, rank);
  report_failure(at);
}

/// Locks the members whose memory the program may load and store at once.
void Window::lock_mapped() {
  take_lock_once(target(rank()));
  for (int member = 0; flavor_ == Flavor::shared && member < node_->members(); ++member) {
    if (member != node_->mine()) take_lock_once(target(node_->rank(member)));
  }
}

/// Members other than those of lock_mapped() are locked at the first operation on their memory (section 12.6), if at
/// all.
void Window::lock_all(bool nocheck) {
  refuse_locks_if_unwanted();
  epochs_.check_lock_all();
  lock_all_nocheck_ = nocheck;
  epochs_.locked_all();  // before the wait, so that no other thread begins an epoch meanwhile
  try {
    if (!nocheck) lock_mapped();
  } catch (...) {
    targets_.for_each([&](Target& each) {
      if (each.held != LockKind::none) end_release(each);
    });
    epochs_.unlocked_all();
    throw;
  }
  tell_epoch(epoch_begun, *this, EpochKind::lock_all);
}

void Window::unlock_all() {
  epochs_.check_unlock_all();
  const auto locked = [](const Target& each) { return each.held != LockKind::none || each.open; };
  targets_.for_each([&](Target& each) {
    if (locked(each)) begin_release(each);
  });
  await_all_flushed();
  targets_.for_each([&](Target& each) {
    if (locked(each)) end_release(each);
  });
  epochs_.unlocked_all();
  tell_epoch(epoch_ended, *this, EpochKind::lock_all);
  report_failures();
}

void Window::refuse_locks_if_unwanted() const {
  if (!hints_.no_locks) return;
  throw Error(ErrorClass::rma_sync,
              fmt::format("{} was made with the info key no_locks, which says that it is never locked", in_words()));
}

}  // namespace bowline::rma
