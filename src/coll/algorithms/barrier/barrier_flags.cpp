// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/rounds.hpp"

namespace bowline::coll {

Task barrier_flags(Channel& channel, const Arguments&) {
  return go_through(channel, {.sources = {channel.size() - 1}, .writes = Writes::inline_data}, RoundWork());
}

}  // namespace bowline::coll
