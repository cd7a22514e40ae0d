// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/direct.hpp"

namespace bowline::coll {
namespace {

Task carry_out(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const int root = arguments.root;
  while (!slots.vacant()) {
    auto left = slots.left();
    co_await left;
  }
  if (channel.rank() != root) {
    auto told = slots.reached(root, 1);
    co_await told;
    slots.read(root, get_address(slots, root, channel.rank()), arguments.result);
    slots.publish(1);
    co_return;
  }
  for (int member = 0; member < channel.size(); ++member)
    put_address(slots, root, member, arguments.send[member].data());
  slots.publish(1);
  channel.copy(arguments.send[root], arguments.result.data());
  for (int member = 0; member < channel.size(); ++member) {
    if (member == root) continue;
    auto read = slots.reached(member, 1);
    co_await read;
  }
}

}  // namespace

Task scatter_direct(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return scatter_slots(channel, arguments);
  return carry_out(channel, arguments);
}

}  // namespace bowline::coll
