// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/slots.hpp"

namespace bowline::coll {

Task barrier_flags(Channel& channel, const Arguments&) {
  Slots& slots = channel.slots();
  auto vacant = slots.vacancy();
  co_await vacant;
  slots.publish(1);
  for (int member = 0; member < channel.size(); ++member) {
    if (member == channel.rank()) continue;
    auto there = slots.reached(member, 1);
    co_await there;
  }
}

}  // namespace bowline::coll
