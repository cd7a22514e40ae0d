// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/barrier/barrier.hpp"

namespace bowline::coll {

Task barrier_tree(Channel& channel, const Arguments&) {
  constexpr int fan = 4;
  const int rank = channel.rank();
  const int parent = (rank - 1) / fan;
  const int first = std::min(fan * rank + 1, channel.size());  // the children; there may be none
  const int end = std::min(first + fan, channel.size());

  TransferWindow<fan> reports;
  for (int child = first; child < end; ++child) reports.push(channel.receive(child, {}));
  while (!reports.empty()) {
    auto report = reports.pop();
    co_await report;
  }
  if (rank != 0) {
    auto released = channel.receive(parent, {});
    auto reported = channel.send(parent, {});
    co_await reported;
    co_await released;
  }
  for (int child = first; child < end; ++child) {
    auto release = channel.send(child, {});
    co_await release;
  }
}

}  // namespace bowline::coll
