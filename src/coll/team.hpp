// SPDX-License-Identifier: BSD-3-Clause
// Team: the ordered processes that take part in a collective operation. A communicator owns a team; a team knows no
// communicator, so that communicators can be made with collectives.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "coll/rank_map.hpp"
#include "coll/team_slots.hpp"
#include "proto/engine.hpp"

namespace bowline::coll {

class Rules;

/// Used by one thread at a time, as the engine is.
struct Team {
  proto::Engine& engine;
  std::uint32_t context;  ///< matching context of collective messages
  RankMap ranks;
  int rank;
  int size;
  bool crowded;               ///< more ranks than cores on this node: messages cost a change of process
  bool one_node = true;       ///< whether all members run on the same node
  std::int32_t sequence = 0;  ///< number of the next collective; its messages carry it as tag
  std::unique_ptr<TeamSlots> slots = nullptr;  ///< shared memory; made by the first collective that wants it

  std::shared_ptr<const Rules> rules;  ///< of the communicator, for its choice of algorithms; nullptr if it has none

  /// The tag of the next collective. Members call collectives in the same order, so they agree.
  std::int32_t next_tag() noexcept {
    sequence = sequence == std::numeric_limits<std::int32_t>::max() ? 0 : sequence + 1;
    return sequence;
  }
};

}  // namespace bowline::coll
