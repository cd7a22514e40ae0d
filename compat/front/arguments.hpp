// SPDX-License-Identifier: BSD-3-Clause
// Arguments that need memory for their converted form: handles and numbers that a function changes, arrays, strings,
// statuses. An argument that is null stays null, so that Bowline reports it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstring>

#include "abi.hpp"
#include "front/scratch.hpp"

namespace front {

/// A handle or a number that a function may change.
template <class Standard, class Here, Standard (*in)(Here) noexcept, Here (*out)(Standard) noexcept>
class Changing {
 public:
  explicit Changing(Here* here) noexcept : here_(here) {
    if (here != nullptr) value_ = before_ = in(*here);
  }
  Standard* standard() noexcept { return here_ == nullptr ? nullptr : &value_; }
  void store() noexcept {
    if (value_ != before_) *here_ = out(value_);
  }

 private:
  Here* here_;
  Standard value_{};
  Standard before_{};
};

/// An array of handles or numbers that a function reads.
template <class Standard, class Here, Standard (*in)(Here) noexcept>
class ArrayOf {
 public:
  ArrayOf(int count, const Here* here) : given_(here != nullptr), standard_(given_ ? length(count) : 0) {
    for (std::size_t i = 0; i < standard_.size(); ++i) standard_[i] = in(here[i]);
  }
  const Standard* data() const noexcept { return given_ ? standard_.data() : nullptr; }

 private:
  bool given_;
  Scratch<Standard> standard_;
};
using Types = ArrayOf<MPI_Datatype, abi::Datatype, abi::in_type>;
using ConstRequests = ArrayOf<MPI_Request, abi::Request, abi::in_request>;
using Infos = ArrayOf<MPI_Info, abi::Info, abi::in_info>;

/// An array of datatypes that a function fills. `count`: the length of the array, then the number of datatypes.
class NewTypes {
 public:
  NewTypes(const int* count, abi::Datatype* here)
      : here_(here), count_(count), standard_(count == nullptr || here == nullptr ? 0 : length(*count)) {}
  MPI_Datatype* data() noexcept { return here_ == nullptr ? nullptr : standard_.data(); }
  void store() noexcept {
    const std::size_t number = count_ == nullptr ? 0 : static_cast<std::size_t>(*count_);
    for (std::size_t i = 0; i < std::min(number, standard_.size()); ++i) here_[i] = abi::out_type(standard_[i]);
  }

 private:
  abi::Datatype* here_;
  const int* count_;
  Scratch<MPI_Datatype> standard_;
};

/// A string that a function writes, of at most `longest` bytes with its end; here there is room for `room`.
template <int longest, long room>
class Text {
 public:
  explicit Text(char* here) noexcept : here_(here) {}
  char* standard() noexcept { return here_ == nullptr ? nullptr : standard_; }
  /// Cuts off what has no room. `length`: where MPI has stored the length; may be null.
  void store(int* length) noexcept {
    const std::size_t kept = std::min(std::strlen(standard_), static_cast<std::size_t>(room) - 1);
    std::memcpy(here_, standard_, kept);
    here_[kept] = '\0';
    if (length != nullptr) *length = static_cast<int>(kept);
  }

 private:
  char* here_;
  char standard_[longest];
};

/// A status that a function fills, or leaves as it is.
class NewStatus {
 public:
  explicit NewStatus(abi::Status* here) noexcept : here_(here) {
    standard_.MPI_SOURCE = untouched;
    standard_.MPI_ERROR = untouched;
  }
  MPI_Status* standard() noexcept { return here_ == abi::status_ignore ? MPI_STATUS_IGNORE : &standard_; }
  /// Functions with one status write MPI_ERROR only if the status is empty.
  void store() noexcept {
    if (here_ == abi::status_ignore || standard_.MPI_SOURCE == untouched) return;
    abi::write_status(*here_, standard_);
    if (standard_.MPI_ERROR != untouched) here_->MPI_ERROR = abi::out_error(standard_.MPI_ERROR);
  }

 private:
  static constexpr int untouched = -2'000'000'000;
  abi::Status* here_;
  MPI_Status standard_;  // NOLINT(cppcoreguidelines-pro-type-member-init): that would cost each call time
};

/// A status that a function reads.
class ConstStatus {
 public:
  explicit ConstStatus(const abi::Status* here) noexcept : given_(here != nullptr && here != abi::status_ignore) {
    if (given_) standard_ = abi::read_status(*here);
  }
  const MPI_Status* standard() const noexcept { return given_ ? &standard_ : nullptr; }

 private:
  bool given_;
  MPI_Status standard_;
};

/// A status that a function changes.
class ChangedStatus {
 public:
  explicit ChangedStatus(abi::Status* here) noexcept : here_(here == abi::status_ignore ? nullptr : here) {
    if (here_ != nullptr) standard_ = abi::read_status(*here_);
  }
  MPI_Status* standard() noexcept { return here_ == nullptr ? nullptr : &standard_; }
  void store() noexcept {
    if (here_ == nullptr) return;
    abi::write_status(*here_, standard_);
    here_->MPI_ERROR = abi::out_error(standard_.MPI_ERROR);
  }

 private:
  abi::Status* here_;
  MPI_Status standard_;
};

}  // namespace front
