// SPDX-License-Identifier: BSD-3-Clause
// CallKind: which function the members of a team call together. The messages and flags of a collective operation carry
// it, so that a member notices that another one executes a different call instead of taking its data for the own ones.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.hpp"
#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// The form of the collective that the user has called; `internal`: another function of MPI uses the collective.
enum class CallForm : std::uint8_t { blocking, nonblocking, persistent, internal };

class CallKind {
 public:
  /// Not known: nothing is compared.
  constexpr CallKind() noexcept = default;
  constexpr CallKind(Operation operation, CallForm form) noexcept
      : value_(static_cast<std::uint8_t>(1 + static_cast<int>(operation) + forms_apart * static_cast<int>(form))) {}
  /// Makes the kind from the byte that a message carries.
  constexpr explicit CallKind(std::uint8_t value) noexcept : value_(value) {}

  static constexpr CallKind making_communicator() noexcept { return CallKind(std::uint8_t{128}); }
  static constexpr CallKind making_window() noexcept { return CallKind(std::uint8_t{129}); }
  static constexpr CallKind file_access() noexcept { return CallKind(std::uint8_t{130}); }

  constexpr std::uint8_t value() const noexcept { return value_; }
  constexpr bool operator==(const CallKind&) const = default;

 private:
  friend std::string in_words(CallKind kind);
  static constexpr int forms_apart = 32;
  static_assert(operations < forms_apart);

  std::uint8_t value_ = 0;
};

/// A call as members that share memory compare it: the kind of the call, and the last bits of its number among the
/// team's calls.
struct CallId {
  CallKind kind = {};
  std::uint8_t number = 0;
  constexpr bool operator==(const CallId&) const = default;
};

/// The name of the function that the user called, such as "MPI_Ibcast", or what kind of function it is.
std::string in_words(CallKind kind);

/// The error of a member that gets data of another call from `member`. If both calls are of one kind, the members
/// disagree about how many calls they made before.
Error different_calls(int member, CallKind theirs, CallKind mine);
/// The error of a member for which `member` did nothing in the call that it has completed.
Error other_call_completed(int member);

}  // namespace bowline::coll
