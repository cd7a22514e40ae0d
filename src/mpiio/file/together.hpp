// SPDX-License-Identifier: BSD-3-Clause
// What the processes of a file do together in blocking calls: they tell each other values and errors, so that a call
// that fails in one of them fails in all.
#pragma once

#include <cstdint>
#include <new>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "coll/channel/reduction.hpp"
#include "coll/team/team.hpp"

namespace bowline::mpiio {

/// The sum and the minimum of 64-bit integers.
const coll::Reduction& sum();
const coll::Reduction& minimum();

// All members of the team call these functions in the same order. They take the lock of the team's lane. Throw Error if
// a member is lost.

/// Sends the data of member `root` to all.
void spread(coll::Team& team, int root, std::span<std::byte> data);
/// How members combine values. The first collective of a team makes memory that its members share, which takes longer
/// than some messages: `few` is for a team that may end without another collective.
enum class Calls : std::uint8_t { many, few };
/// Replaces each value by the minimum over all members.
void minimize(coll::Team& team, std::span<std::int64_t> values, Calls calls = Calls::many);

/// The error of the lowest member that has an error, in the words "on rank 2: ..." for the other members; nothing if no
/// member has one.
std::optional<Error> common_error(coll::Team& team, const std::optional<Error>& mine, Calls calls = Calls::many);
/// The error that `action` throws, so that this process can still take part in later steps.
template <class Action>
std::optional<Error> attempt(Action action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorClass::no_mem, "no memory is left: use less per process, or fewer processes per node");
  }
}
/// Calls `action`; if it throws in any member, throws that error in all members.
template <class Action>
void all_or_none(coll::Team& team, Action action) {
  if (const auto failed = common_error(team, attempt(action))) throw Error(*failed);
}

/// Throws Error (not_same) in all members unless all members give the same value. `what`: the argument, in words.
void check_same(coll::Team& team, std::int64_t value, const char* what);

}  // namespace bowline::mpiio
