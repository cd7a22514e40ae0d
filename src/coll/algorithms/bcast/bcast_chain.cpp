// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast/bcast.hpp"
#include "coll/algorithms/pipelined.hpp"

namespace bowline::coll {

Task bcast_chain(Channel& channel, const Arguments& arguments) {
  return bcast_pipelined(channel, arguments, chain(channel.rank(), channel.size(), arguments.root));
}

}  // namespace bowline::coll
