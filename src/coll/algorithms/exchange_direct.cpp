// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/direct.hpp"

namespace bowline::coll {
namespace {

/// Reads from every member what it has for this one, which then stands in arguments.receive. `address_for(member)` is
/// what this one has for that one.
template <class AddressFor>
Task exchange(Channel& channel, const Arguments& arguments, AddressFor address_for) {
  Slots& slots = channel.slots();
  const int rank = channel.rank();
  const int size = channel.size();
  while (!slots.vacant()) {
    auto left = slots.left();
    co_await left;
  }
  for (int member = 0; member < size; ++member) put_address(slots, rank, member, address_for(member));
  slots.publish(1);
  channel.copy({address_for(rank), arguments.receive[rank].size()}, arguments.receive[rank].data());
  for (int step = 1; step < size; ++step) {
    const int member = (rank + size - step) % size;
    auto told = slots.reached(member, 1);
    co_await told;
    slots.read(member, get_address(slots, member, rank), arguments.receive[member]);
  }
  slots.publish(2);
  for (int member = 0; member < size; ++member) {  // the buffers are theirs until all have read them
    if (member == rank) continue;
    auto read = slots.reached(member, 2);
    co_await read;
  }
}

}  // namespace

Task allgather_direct(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return allgather_slots(channel, arguments);
  return exchange(channel, arguments, [own = arguments.input.data()](int) { return own; });
}

Task alltoall_direct(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return alltoall_slots(channel, arguments);
  return exchange(channel, arguments,
                  [&arguments](int member) { return static_cast<const std::byte*>(arguments.send[member].data()); });
}

}  // namespace bowline::coll
