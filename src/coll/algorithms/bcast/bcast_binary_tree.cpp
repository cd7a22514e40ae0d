// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/bcast/bcast.hpp"
#include "coll/algorithms/pipelined.hpp"

namespace bowline::coll {

Task bcast_binary_tree(Channel& channel, const Arguments& arguments) {
  return bcast_pipelined(channel, arguments, binary_tree(channel.rank(), channel.size(), arguments.root));
}

}  // namespace bowline::coll
