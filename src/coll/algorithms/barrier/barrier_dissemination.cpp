// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/barrier/barrier.hpp"

namespace bowline::coll {

Task barrier_dissemination(Channel& channel, const Arguments&) {
  const int size = channel.size();
  for (int distance = 1; distance < size; distance *= 2) {
    auto heard = channel.receive((channel.rank() - distance + size) % size, {});
    auto told = channel.send((channel.rank() + distance) % size, {});
    co_await told;
    co_await heard;
  }
}

}  // namespace bowline::coll
