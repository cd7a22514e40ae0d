// SPDX-License-Identifier: BSD-3-Clause
// Epochs: which synchronization calls and operations of this process are allowed now on a window (MPI-5.0, section
// 12.5). Wrong use throws Error (rma_sync).
//
// A call of MPI_Win_fence begins an epoch only if operations follow (section 12.5.1). So as long as there was no
// operation, the other kinds of epochs may begin as well; the fence's epoch is over then.
#pragma once

#include <cstdint>

namespace bowline::rma {

struct Target;

class Epochs {
 public:
  enum class Access : std::uint8_t { none, fence, start, lock, lock_all };

  // For operations, each of which needs an access epoch.
  /// Whether operations on every target are allowed: in an epoch of a fence.
  bool all_open() const noexcept { return access_ == Access::fence; }
  void note_use() noexcept { used_ = true; }
  bool used() const noexcept { return used_; }
  Access access() const noexcept { return access_; }
  bool exposed() const noexcept { return exposed_; }

  // Before the call does anything: whether it is allowed. `window`: in words.
  void check_fence() const;
  void check_post() const;
  void check_start() const;
  void check_complete() const;
  void check_wait() const;
  void check_lock(const Target& target) const;
  void check_unlock(const Target& target) const;
  void check_lock_all() const;
  void check_unlock_all() const;
  void check_flush(const Target& target) const;
  void check_flush_all() const;
  void check_free() const;

  // To be called when the fence has completed.
  void fenced(bool begins) noexcept {
    access_ = begins ? Access::fence : Access::none;
    used_ = false;
  }
  void posted() noexcept {
    leave_fence();
    exposed_ = true;
  }
  void waited() noexcept { exposed_ = false; }
  void started() noexcept { access_ = Access::start; }
  void completed() noexcept { end_access(); }
  void locked() noexcept {
    access_ = Access::lock;
    ++locks_;
  }
  void unlocked() noexcept {
    if (--locks_ == 0) end_access();
  }
  void locked_all() noexcept { access_ = Access::lock_all; }
  void unlocked_all() noexcept { end_access(); }

 private:
  bool may_begin() const noexcept { return access_ == Access::none || (access_ == Access::fence && !used_); }
  void leave_fence() noexcept {
    if (access_ == Access::fence) access_ = Access::none;
  }
  void end_access() noexcept {
    access_ = Access::none;
    used_ = false;
  }
  [[noreturn, gnu::cold]] void refuse_begin(const char* call) const;
  const char* in_words() const noexcept;

  Access access_ = Access::none;
  bool exposed_ = false;  ///< between MPI_Win_post and MPI_Win_wait
  bool used_ = false;     ///< whether the access epoch has had an operation
  unsigned locks_ = 0;    ///< of MPI_Win_lock
};

}  // namespace bowline::rma
