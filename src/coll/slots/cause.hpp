// SPDX-License-Identifier: BSD-3-Clause
// Cause: why a member fails in a collective call, as far as its flag tells the other members.
#pragma once

#include <cstdint>

#include "base/error.hpp"

namespace bowline::coll {

class Cause {
 public:
  /// How many causes a flag distinguishes.
  static constexpr std::uint64_t count = std::uint64_t{1} << 16;

  /// Neither a lost process nor a revoked communicator.
  constexpr Cause() noexcept = default;
  static Cause of(const Error& why) noexcept {
    if (why.error_class() == ErrorClass::revoked) return Cause(revoked);
    if (!tells_loss(why.error_class())) return Cause();
    const auto number = first_lost + static_cast<std::uint64_t>(why.lost());
    return Cause(why.lost() >= 0 && number < count ? number : unnamed_lost);
  }

  constexpr explicit Cause(std::uint64_t number) noexcept : number_(number) {}
  /// Less than `count`.
  constexpr std::uint64_t number() const noexcept { return number_; }
  /// The error of a member that cannot go on because `member` has failed for this cause.
  Error error(int member) const;

 private:
  enum : std::uint64_t { other, revoked, unnamed_lost, first_lost };  // first_lost: rank 0 of the job

  std::uint64_t number_ = other;
};

}  // namespace bowline::coll
