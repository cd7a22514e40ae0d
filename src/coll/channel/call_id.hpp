// SPDX-License-Identifier: BSD-3-Clause
// CallId: what the members of a team must agree on in a collective call. The messages and flags of the call carry it,
// so a member notices that another one executes a different call instead of taking its data for the own ones.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "coll/channel/algorithm.hpp"
#include "coll/channel/call_kind.hpp"
#include "dtype/op.hpp"
#include "dtype/signature.hpp"

namespace bowline::coll {

/// What a member says of its call, besides the kind.
struct CallDetails {
  int root = -1;                                  ///< negative: none, or not known to all members
  dtype::Operator op = dtype::Operator::count_;   ///< of a reduction; count_: none, or one of the user's
  dtype::Signature type = dtype::Signature::any;  ///< of the data
};

/// A number of 42 bits, from the lowest: the kind, the signature, the number of the call among the team's calls, the
/// root, the operator, and a digest of the calls before.
class CallId {
 public:
  static constexpr int bits = 42;

  /// A call that is compared with no other call.
  constexpr CallId() noexcept = default;
  /// `number`, `before`: of the call, and a digest of the calls before; only their last 8 bits are used.
  constexpr CallId(CallKind kind, CallDetails details, std::uint32_t number, std::uint32_t before) noexcept
      : value_(kind.value() | part(static_cast<std::uint32_t>(details.type), type_at) |
               part(number % (1U << number_bits), number_at) |
               part(details.root < 0 ? 0 : 1 + static_cast<std::uint32_t>(details.root) % most_roots, root_at) |
               part(static_cast<std::uint32_t>(details.op), op_at) | part(before % (1U << before_bits), before_at)) {}
  constexpr explicit CallId(std::uint64_t value) noexcept : value_(value) {}

  constexpr std::uint64_t value() const noexcept { return value_; }
  constexpr CallKind kind() const noexcept { return CallKind(static_cast<std::uint8_t>(get(0, CallKind::bits))); }
  constexpr dtype::Signature type() const noexcept { return static_cast<dtype::Signature>(get(type_at, type_bits)); }
  constexpr std::uint32_t number() const noexcept { return get(number_at, number_bits); }
  /// Modulo 1023; negative: none.
  constexpr int root() const noexcept { return static_cast<int>(get(root_at, root_bits)) - 1; }
  constexpr dtype::Operator op() const noexcept { return static_cast<dtype::Operator>(get(op_at, op_bits)); }
  constexpr std::uint32_t before() const noexcept { return get(before_at, before_bits); }

  /// Without the signature, which a member need not know.
  constexpr std::uint64_t without_type() const noexcept { return value_ & ~part((1U << type_bits) - 1, type_at); }
  /// Whether the calls may be one call of two members.
  constexpr bool matches(CallId other) const noexcept;

  /// What a message can carry: the kind, the signature, and a digest of the rest.
  constexpr std::uint16_t mark() const noexcept {
    const auto rest = static_cast<std::uint32_t>(value_ >> number_at);
    return static_cast<std::uint16_t>((value_ & ((1U << number_at) - 1)) | (rest * 0x9e3779b1U >> 27U) << number_at);
  }
  /// What is known of the call from a mark: its kind and signature.
  static constexpr CallId of_mark(std::uint16_t mark) noexcept { return CallId(mark & ((1U << number_at) - 1)); }
  /// Whether a message with this mark may belong to this call.
  constexpr bool matches_mark(std::uint16_t mark) const noexcept;

 private:
  static constexpr int type_bits = 4, number_bits = 8, root_bits = 10, op_bits = 5, before_bits = 8;
  static constexpr int type_at = CallKind::bits, number_at = type_at + type_bits, root_at = number_at + number_bits,
                       op_at = root_at + root_bits, before_at = op_at + op_bits;
  static constexpr std::uint32_t most_roots = (1U << root_bits) - 1;
  static_assert(before_at + before_bits == bits && number_at == 11 && static_cast<int>(dtype::Operator::count_) < 32 &&
                dtype::signatures <= 16);

  static constexpr std::uint64_t part(std::uint32_t value, int at) noexcept { return std::uint64_t{value} << at; }
  constexpr std::uint32_t get(int at, int count) const noexcept {
    return static_cast<std::uint32_t>(value_ >> at) & ((1U << count) - 1);
  }

  std::uint64_t value_ = 0;
};

constexpr bool CallId::matches(CallId other) const noexcept {
  if (kind() == CallKind() || other.kind() == CallKind()) return true;
  return without_type() == other.without_type() && dtype::may_match(type(), other.type());
}

constexpr bool CallId::matches_mark(std::uint16_t theirs) const noexcept {
  const CallId low = of_mark(theirs);
  if (kind() == CallKind() || low.kind() == CallKind()) return true;
  return low.kind() == kind() && theirs >> number_at == mark() >> number_at && dtype::may_match(type(), low.type());
}

/// The error of a member that gets data or a flag of another call from `member`.
Error different_calls(int member, CallId theirs, CallId mine);
/// The same, from the mark of a message.
Error different_calls(int member, std::uint16_t their_mark, CallId mine);
/// The error of a member for which `member` did nothing in the call that it has completed.
Error other_call_completed(int member);

}  // namespace bowline::coll
