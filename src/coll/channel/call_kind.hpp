// SPDX-License-Identifier: BSD-3-Clause
// CallKind: which function the members of a team call together.
#pragma once

#include <cstdint>
#include <string>

#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// The form of the collective that the user has called; `internal`: another function of MPI uses the collective.
enum class CallForm : std::uint8_t { blocking, nonblocking, persistent, internal };

class CallKind {
 public:
  static constexpr int bits = 7;

  /// Not known: nothing is compared.
  constexpr CallKind() noexcept = default;
  constexpr CallKind(Operation operation, CallForm form) noexcept
      : value_(static_cast<std::uint8_t>(1 + static_cast<int>(operation) + forms_apart * static_cast<int>(form))) {}
  /// Makes the kind from the bits that a message or a flag carries.
  constexpr explicit CallKind(std::uint8_t value) noexcept : value_(value) {}

  static constexpr CallKind making_communicator() noexcept { return CallKind(std::uint8_t{29}); }
  static constexpr CallKind making_window() noexcept { return CallKind(std::uint8_t{30}); }
  static constexpr CallKind file_access() noexcept { return CallKind(std::uint8_t{31}); }

  constexpr std::uint8_t value() const noexcept { return value_; }
  constexpr bool operator==(const CallKind&) const = default;

 private:
  friend std::string in_words(CallKind kind);
  static constexpr int forms_apart = 32;
  static_assert(operations < 28 && 4 * forms_apart == 1 << bits);

  std::uint8_t value_ = 0;
};

/// The name of the function that the user called, such as "MPI_Ibcast", or what kind of function it is.
std::string in_words(CallKind kind);

}  // namespace bowline::coll
