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
    put_address(slots, channel.rank(), root, arguments.input.data());
    slots.publish(1);
    auto read = slots.reached(root, 1);
    co_await read;
    co_return;
  }
  channel.copy(arguments.input, arguments.receive[root].data());
  for (int member = 0; member < channel.size(); ++member) {
    if (member == root) continue;
    auto told = slots.reached(member, 1);
    co_await told;
    slots.read(member, get_address(slots, member, root), arguments.receive[member]);
  }
  slots.publish(1);
}

}  // namespace

Task gather_direct(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return gather_slots(channel, arguments);
  return carry_out(channel, arguments);
}

}  // namespace bowline::coll
