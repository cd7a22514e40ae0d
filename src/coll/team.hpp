// SPDX-License-Identifier: BSD-3-Clause
// Team: the ordered processes that take part in a collective operation. A communicator owns a team; a team knows no
// communicator, so that communicators can be made with collectives.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "coll/rank_map.hpp"

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

/// Used by one thread at a time, as the engine is.
struct Team {
  proto::Engine& engine;
  std::uint32_t context;  ///< matching context of collective messages
  RankMap ranks;
  int rank;
  int size;
  bool oversubscribed;               ///< more ranks than cores on this node: messages cost a context switch
  bool one_node = true;              ///< whether all members run on the same node
  const Machine* machine = nullptr;  ///< where processes run, kept by the runtime; nullptr: not known
  bool switches_unknown = false;     ///< whether members have not yet exchanged the switches above their nodes
  std::unique_ptr<Division, DeletePart> division = nullptr;  ///< the result of divided()
  std::int32_t sequence = 0;                     ///< number of the last collective; its messages carry it as tag
  std::int32_t persistent = first_persistent;    ///< number of the last persistent collective that was made
  OwnedSlots slots = nullptr;                    ///< shared memory; made by the first collective that wants it
  std::shared_ptr<const Rules> rules = nullptr;  ///< rules of the communicator; may be none
  std::shared_ptr<Choices> choices = nullptr;    ///< choices of its last calls; made by the first one

  /// The division by the hardware that members share, made at the first call; nullptr if the machine is not (fully)
  /// known yet. Throws Error if the machine cannot be queried.
  Division* divided();
  /// Sets the machine.
  void place_on(const Machine* whole);
  /// Takes the machine with the exchanged switches. All members call it at the same point in the order of their
  /// operations, so earlier operations ignore the hardware in all members, and later ones use it in all members.
  void learn(const Machine& all);
  /// The hierarchy of that division.
  const Hierarchy* hierarchy();

  // Members make and call collectives in the same order, so they agree on tags. They may start persistent ones in any
  // order: these keep a tag, which no other collective gets.
  static constexpr std::int32_t first_persistent = std::int32_t{1} << 30;

  /// The tag of the next collective.
  std::int32_t next_tag() noexcept {
    sequence = (sequence + 1) % first_persistent;
    return sequence;
  }
  /// The tag of the next persistent collective.
  std::int32_t next_persistent_tag() noexcept {
    persistent = persistent == std::numeric_limits<std::int32_t>::max() ? first_persistent : persistent + 1;
    return persistent;
  }

 private:
  std::unique_ptr<Division, DeletePart> divide_by(const Machine& known);
};

}  // namespace bowline::coll
