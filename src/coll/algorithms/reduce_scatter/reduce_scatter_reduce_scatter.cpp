// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/reduce_scatter/reduce_scatter.hpp"

#include "coll/algorithms/reduce/reduce.hpp"

namespace bowline::coll {

Task reduce_scatter_reduce_scatter(Channel& channel, const Arguments& arguments) {
  const int rank = channel.rank();
  const Scratch whole(channel, rank == 0 ? arguments.input.size() : 0);
  const Arguments reduction{.input = arguments.input, .result = whole, .reduction = arguments.reduction};
  Task reduced = reduce_binomial(channel, reduction);
  co_await reduced;

  if (rank != 0) {
    auto mine = channel.receive(0, arguments.result);
    co_await mine;
    co_return;
  }
  TransferWindow<16> sends;
  for (int member = 1; member < channel.size(); ++member) {
    const Block block = arguments.receive.place(member);
    if (sends.full()) {
      auto oldest = sends.pop();
      co_await oldest;
    }
    sends.push(channel.send(member, whole.subspan(static_cast<std::size_t>(block.offset), block.bytes)));
  }
  channel.copy(whole.first(arguments.result.size()), arguments.result.data());
  while (!sends.empty()) {
    auto oldest = sends.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
