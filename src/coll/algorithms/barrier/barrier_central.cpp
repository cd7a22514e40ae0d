// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/barrier/barrier.hpp"

namespace bowline::coll {

Task barrier_central(Channel& channel, const Arguments&) {
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
