// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/pipelined.hpp"
#include "coll/algorithms/reduce/reduce.hpp"

namespace bowline::coll {

Task reduce_binary_tree(Channel& channel, const Arguments& arguments) {
  const auto shape = arguments.reduction->commutative() ? binary_tree : binary_tree_in_order;
  return reduce_pipelined(channel, arguments, shape(channel.rank(), channel.size(), arguments.root));
}

}  // namespace bowline::coll
