// SPDX-License-Identifier: BSD-3-Clause
#include "rma/synchronization/epochs.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "rma/target.hpp"

namespace bowline::rma {
namespace {

[[noreturn, gnu::cold]] void refuse_epoch(const std::string& why) {
  throw Error(ErrorClass::rma_sync, why);
}

}  // namespace

/// The access epoch that is open.
const char* Epochs::in_words() const noexcept {
  switch (access_) {
    case Access::none:
      return "no access epoch of this process is open on the window";
    case Access::fence:
      return "operations have begun in the epoch of MPI_Win_fence";
    case Access::start:
      return "an access epoch of MPI_Win_start is open";
    case Access::lock:
      return "an access epoch of MPI_Win_lock is open";
    case Access::lock_all:
      return "an access epoch of MPI_Win_lock_all is open";
  }
  return "";
}

void Epochs::refuse_begin(const char* call) const {
  refuse_epoch(fmt::format("{}: end it before {} begins another one", in_words(), call));
}

void Epochs::check_fence() const {
  if (access_ != Access::none && access_ != Access::fence) refuse_begin("MPI_Win_fence");
  if (exposed_) refuse_epoch("an exposure epoch of MPI_Win_post is open: end it with MPI_Win_wait before a fence");
}

void Epochs::check_post() const {
  if (exposed_) refuse_epoch("an exposure epoch of MPI_Win_post is open already: end it with MPI_Win_wait");
  if (access_ == Access::fence && used_) refuse_begin("MPI_Win_post");
  if (access_ == Access::lock || access_ == Access::lock_all) refuse_begin("MPI_Win_post");
}

void Epochs::check_start() const {
  if (!may_begin()) refuse_begin("MPI_Win_start");
}

void Epochs::check_complete() const {
  if (access_ != Access::start)
    refuse_epoch(fmt::format("{}, but MPI_Win_complete ends one of MPI_Win_start", in_words()));
}

void Epochs::check_wait() const {
  if (!exposed_) refuse_epoch("no exposure epoch of this process is open on the window: MPI_Win_post begins one");
}

void Epochs::check_lock(const Target& target) const {
  if (access_ == Access::lock && (target.held != LockKind::none || target.lock_changes)) {
    refuse_epoch(fmt::format("this process has locked rank {} of the window already: unlock it first", target.rank));
  }
  if (access_ != Access::lock && !may_begin()) refuse_begin("MPI_Win_lock");
  if (exposed_) refuse_epoch("an exposure epoch of MPI_Win_post is open: end it with MPI_Win_wait before MPI_Win_lock");
}

void Epochs::check_unlock(const Target& target) const {
  if (access_ == Access::lock && target.held != LockKind::none && !target.lock_changes) return;
  refuse_epoch(fmt::format("{}, but this process has not locked rank {} with MPI_Win_lock",
                           access_ == Access::lock ? "other ranks are locked" : in_words(), target.rank));
}

void Epochs::check_lock_all() const {
  if (!may_begin()) refuse_begin("MPI_Win_lock_all");
  if (exposed_)
    refuse_epoch("an exposure epoch of MPI_Win_post is open: end it with MPI_Win_wait before MPI_Win_lock_all");
}

void Epochs::check_unlock_all() const {
  if (access_ != Access::lock_all)
    refuse_epoch(fmt::format("{}, but MPI_Win_unlock_all ends one of MPI_Win_lock_all", in_words()));
}

void Epochs::check_flush(const Target& target) const {
  if (access_ == Access::lock_all || (access_ == Access::lock && target.held != LockKind::none)) return;
  refuse_epoch(
      fmt::format("{}, but operations on rank {} can be flushed only while it is locked by MPI_Win_lock or "
                  "MPI_Win_lock_all",
                  access_ == Access::lock ? "other ranks are locked" : in_words(), target.rank));
}

void Epochs::check_flush_all() const {
  if (access_ == Access::lock_all || access_ == Access::lock) return;
  refuse_epoch(fmt::format("{}, but operations can be flushed only in an epoch of MPI_Win_lock or MPI_Win_lock_all",
                           in_words()));
}

void Epochs::check_free() const {
  if (access_ != Access::none && !may_begin())
    refuse_epoch(fmt::format("{}: end it before the window is freed", in_words()));
  if (exposed_) refuse_epoch("an exposure epoch of MPI_Win_post is open: end it before the window is freed");
}

}  // namespace bowline::rma
