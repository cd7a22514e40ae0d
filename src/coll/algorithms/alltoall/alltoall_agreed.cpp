// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/alltoall/alltoall.hpp"
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

Task alltoall_agreed(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  slots.publish(1);
  // A member that waits for a flag compares the lengths. A member with another length might send no messages.
  for (int member = 0; member < channel.size(); ++member) {
    if (member == channel.rank()) continue;
    auto there = slots.reached(member, 1);
    co_await there;
  }
  Task exchange = alltoall_linear(channel, arguments);
  co_await exchange;
}

}  // namespace bowline::coll
