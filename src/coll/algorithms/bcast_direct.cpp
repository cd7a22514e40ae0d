// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/direct.hpp"

namespace bowline::coll {
namespace {

Task carry_out(Channel& channel, int root, std::span<std::byte> data) {
  Slots& slots = channel.slots();
  while (!slots.vacant()) {
    auto left = slots.left();
    co_await left;
  }
  if (channel.rank() != root) {
    auto told = slots.reached(root, 1);
    co_await told;
    slots.read(root, get_address(slots, root, root), data);
    slots.publish(1);
    co_return;
  }
  put_address(slots, root, root, data.data());
  slots.publish(1);
  for (int member = 0; member < channel.size(); ++member) {
    if (member == root) continue;
    auto read = slots.reached(member, 1);
    co_await read;
  }
}

}  // namespace

Task bcast_direct(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return bcast_slots(channel, arguments);
  return carry_out(channel, arguments.root, arguments.result);
}

}  // namespace bowline::coll
