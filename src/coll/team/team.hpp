// SPDX-License-Identifier: BSD-3-Clause
// Team: the ordered processes that take part in a collective operation. A communicator owns a team; a team knows no
// communicator, so that communicators can be made with collectives.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "base/failure.hpp"
#include "base/tunable.hpp"
#include "coll/channel/call_history.hpp"
#include "coll/channel/call_id.hpp"
#include "coll/channel/rank_map.hpp"

namespace bowline::proto {
class Engine;
}

namespace bowline::coll {

class Choices;
class Hierarchy;
class Machine;
class Rules;
class TeamSlots;
struct Division;

/// Deletes parts of a team whose types its users need not know.
struct DeletePart {
  void operator()(Division* division) const noexcept;
  void operator()(TeamSlots* slots) const noexcept;
};
using OwnedSlots = std::unique_ptr<TeamSlots, DeletePart>;

/// Calls that all members make in the same order, and what depends on that order: the numbers of the calls, the shared
/// memory whose places these numbers choose, and what the members have agreed on in earlier calls.
struct CallOrder {
  static constexpr std::int32_t tags = std::int32_t{1} << 29;

  std::int32_t first_tag = 0;
  std::int32_t sequence = 0;                                 ///< number of the last call
  OwnedSlots slots = nullptr;                                ///< made by the first call that wants shared memory
  std::unique_ptr<Division, DeletePart> division = nullptr;  ///< the result of Team::divided()
  std::shared_ptr<Choices> choices = nullptr;  ///< choices of the order's last calls; made by the first call

  /// The tag of the next call; its messages carry it.
  std::int32_t next_tag() noexcept {
    sequence = (sequence + 1) % tags;
    return first_tag + sequence;
  }
};

/// Whether the members of a communicator compare their calls before they carry them out: the tunable
/// check_collectives (calls/call_comparison.hpp).
extern Tunable<bool> check_collectives;
inline bool checks_collectives() noexcept {
  return check_collectives.value();
}

/// Used by one thread at a time, as the engine is.
struct Team {
  proto::Engine& engine;
  std::uint32_t context;  ///< matching context of collective messages
  RankMap ranks;
  int rank;
  int size;
  bool oversubscribed;               ///< more ranks than cores on this node: messages cost a context switch
  bool one_node = true;              ///< whether all members run on the same node
  bool meets = false;                ///< whether the members have no communicator, so that the engine's directory does
                                     ///< not know them
  const Machine* machine = nullptr;  ///< where processes run, kept by the runtime; nullptr: not known
  bool switches_unknown = false;     ///< whether members have not yet exchanged the switches above their nodes
  bool unprepared = false;           ///< whether switches_unknown or interrupted is set, so that a call makes one test
                                     ///< (coll::prepare_call())
  Failure interrupted = nullptr;     ///< with which all calls fail from now on; none if they may succeed
  std::shared_ptr<const Rules> rules = nullptr;  ///< rules of the communicator; may be none

  // Blocking and non-blocking calls have numbers of their own, because non-blocking calls execute while others go on.
  CallOrder blocking = {};
  CallOrder nonblocking = {.first_tag = CallOrder::tags};
  std::int32_t persistent = first_persistent;  ///< tag of the last persistent collective that was made
  std::uint32_t calls = 0;                     ///< of all kinds, in the order that the standard demands
  std::uint32_t digest = 0;                    ///< of these calls; equal in all members
  CallId last = {};                            ///< of these calls

  /// The order of non-blocking calls; the order of blocking calls if members compare all their calls
  /// (calls/call_comparison.hpp).
  CallOrder& order_of_nonblocking() noexcept;

  /// The division by the hardware that members share, made at the order's first call; nullptr if the machine is not
  /// (fully) known yet. The division of the non-blocking order has no switches that members have to exchange, because
  /// members exchange switches in a blocking call. Throws Error if the machine cannot be queried.
  Division* divided(CallOrder& order);
  /// Sets the machine.
  void place_on(const Machine* whole);
  /// Throws Error if calls fail from now on.
  void refuse_if_interrupted() const {
    if (interrupted != nullptr) throw Error(*interrupted);
  }
  /// Has all later calls fail with this error.
  void interrupt(const Failure& why) noexcept {
    interrupted = why;
    unprepared = true;
  }
  /// Takes the machine with the exchanged switches. All members call it at the same point in the order of their
  /// blocking calls.
  void learn(const Machine& all);
  /// The hierarchy of the team's division into nodes.
  const Hierarchy* hierarchy(CallOrder& order);

  // Members may start persistent collectives in any order: these keep a tag, which no other collective gets.
  static constexpr std::int32_t first_persistent = 2 * CallOrder::tags;

  /// The id of the next call. All members make all calls in the same order: blocking ones, non-blocking ones when they
  /// begin, and persistent ones when they are made (MPI-5.0, sections 6.12 and 6.13). With check_collectives the
  /// members compare more before each call, and go on after calls that differ, so the id then says nothing.
  CallId next_id(CallKind kind, const CallDetails& details = {}) noexcept {
    if (checks_collectives()) [[unlikely]]
      return {};
    const CallId id(kind, details, ++calls, digest >> 24);
    const std::uint64_t part = id.without_type();
    digest = (digest ^ static_cast<std::uint32_t>(part ^ part >> 21)) * 0x9e3779b1U;
    digest ^= digest >> 15;
    return last = id;
  }
  CallHistory history() const noexcept { return {.calls = calls, .digest = digest, .last = last}; }

  /// The tag of the next persistent collective.
  std::int32_t next_persistent_tag() noexcept {
    persistent = persistent == std::numeric_limits<std::int32_t>::max() ? first_persistent : persistent + 1;
    return persistent;
  }

 private:
  std::unique_ptr<Division, DeletePart> divide_by(const Machine& known);
};

}  // namespace bowline::coll
