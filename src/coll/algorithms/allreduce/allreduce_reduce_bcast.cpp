// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "coll/algorithms/bcast/bcast.hpp"
#include "coll/algorithms/reduce/reduce.hpp"

namespace bowline::coll {

Task allreduce_reduce_bcast(Channel& channel, const Arguments& arguments) {
  Task reduced = reduce_binomial(channel, arguments);  // to member 0: the root of an allreduce is never set
  co_await reduced;
  Task spread = bcast_binomial(channel, arguments);
  co_await spread;
}

}  // namespace bowline::coll
