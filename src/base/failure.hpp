// SPDX-License-Identifier: BSD-3-Clause
// Failure: the cause of a failure, shared by all operations that failed for it.
#pragma once

#include <cstddef>
#include <utility>

#include "base/error.hpp"
#include "base/reference_count.hpp"

namespace bowline {

/// A shared Error, or nothing. No function throws, and copying a failure takes no memory: if there is no memory for the
/// sentence, the failure becomes MPI_ERR_NO_MEM. Threads may share an error, but not a Failure object.
class Failure {
 public:
  constexpr Failure() noexcept = default;
  constexpr Failure(std::nullptr_t) noexcept {}
  Failure(const Error& error) noexcept;
  Failure(const Failure& other) noexcept : shared_(other.shared_) { retain(); }
  Failure(Failure&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  Failure& operator=(Failure other) noexcept {
    std::swap(shared_, other.shared_);
    return *this;
  }
  ~Failure() { reset(); }

  /// In a catch block: the failure for the current exception.
  static Failure current() noexcept;
  /// The failure for the Error that `make` returns.
  template <class Make>
  static Failure of(Make make) noexcept {
    try {
      return make();
    } catch (...) {
      return current();
    }
  }

  const Error& operator*() const noexcept { return shared_->error; }
  const Error* operator->() const noexcept { return &shared_->error; }
  /// The error; nullptr if there is none.
  const Error* get() const noexcept { return shared_ == nullptr ? nullptr : &shared_->error; }
  bool operator==(std::nullptr_t) const noexcept { return shared_ == nullptr; }
  void reset() noexcept {
    if (shared_ != nullptr) [[unlikely]]
      drop();
  }

 private:
  struct Shared {
    ReferenceCount users;
    Error error;
  };
  static Shared* const no_memory;

  void retain() const noexcept {
    if (shared_ != nullptr) shared_->users.retain();
  }
  void drop() noexcept;

  Shared* shared_ = nullptr;
};

}  // namespace bowline
