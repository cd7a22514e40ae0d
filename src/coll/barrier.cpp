// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms.hpp"

namespace bowline::coll {

Task barrier_dissemination(Channel& channel) {
  const int size = channel.size();
  for (int distance = 1; distance < size; distance *= 2) {
    auto heard = channel.receive((channel.rank() - distance + size) % size, {});
    auto told = channel.send((channel.rank() + distance) % size, {});
    co_await told;
    co_await heard;
  }
}

Task barrier_central(Channel& channel) {
  if (channel.rank() != 0) {
    auto reported = channel.send(0, {});
    co_await reported;
    auto released = channel.receive(0, {});
    co_await released;
    co_return;
  }
  for (int member = 1; member < channel.size(); ++member) {
    auto report = channel.receive(member, {});
    co_await report;
  }
  for (int member = 1; member < channel.size(); ++member) {
    auto release = channel.send(member, {});
    co_await release;
  }
}

}  // namespace bowline::coll
