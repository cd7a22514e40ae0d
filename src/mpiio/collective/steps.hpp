// SPDX-License-Identifier: BSD-3-Clause
// Small collectives that are steps of a longer one: coroutines over the channel of a file's team. All members execute
// the same steps in the same order. Each throws Error if a member is lost.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "base/task.hpp"
#include "coll/calls/team_channel.hpp"
#include "coll/channel/reduction.hpp"
#include "coll/channel/subchannel.hpp"

namespace bowline::mpiio {

/// Combines the values of all members; everyone gets the result. The arguments must outlive the task.
Task combine_all(coll::TeamChannel& channel, const coll::Reduction& reduction, std::span<std::byte> values);
/// The minimum of each value over all members.
Task minimize_all(coll::TeamChannel& channel, std::span<std::int64_t> values);
/// Returns when all members of a unit have called meet().
Task meet(coll::Channel& channel, const coll::Members& members, int index);
/// Sends the data of the first member of a unit to the others.
Task spread_in_unit(coll::Channel& channel, const coll::Members& members, int index, std::span<std::byte> data);

/// Replaces `error` by the error of the lowest member that has an error, or by nothing.
Task share_error(coll::TeamChannel& channel, std::optional<Error>& error);

/// The requests of all members of a collective access, added up. Members that access individually count in `failed` and
/// `individual` alone.
struct Summary {
  std::int64_t failed;      ///< the lowest member that has an error; the number of members if none has
  std::int64_t begin;       ///< the first byte of data in the file
  std::int64_t end;         ///< behind the last byte of data; not behind `begin` if there are no data
  std::int64_t individual;  ///< members whose offsets do not ascend, so that each moves its data by itself
  std::int64_t spans;       ///< bytes from the first to the last byte of each member, added up over the members
  std::int64_t pieces;      ///< runs of the file of all members, as far as they have looked
  std::int64_t looked;      ///< bytes of data in these runs
  std::int64_t granule;     ///< the largest number that divides the offsets and lengths of all runs
  std::int64_t time;        ///< of the collective read before, in nanoseconds, added up; 0: no member took it
};
/// Combines the summaries of single members.
Task summarize_all(coll::TeamChannel& channel, Summary& summary);

}  // namespace bowline::mpiio
