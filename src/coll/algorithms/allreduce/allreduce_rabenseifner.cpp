// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "coll/algorithms/fold.hpp"
#include "coll/algorithms/vector_parts.hpp"

namespace bowline::coll {

Task allreduce_rabenseifner(Channel& channel, const Arguments& arguments) {
  const Reduction& reduction = *arguments.reduction;
  const std::size_t element = reduction.element();
  const std::span<std::byte> data = arguments.result;
  const int rank = channel.rank();
  const Fold fold(channel.size());

  if (!fold.acts(rank)) {
    auto given = channel.send(rank + 1, arguments.input);
    co_await given;
    auto result = channel.receive(rank + 1, data);
    co_await result;
    co_return;
  }
  channel.copy(arguments.input, data.data());
  const Scratch theirs(channel, fold.shares(rank) ? data.size() : halves(data, element).lower.size());
  if (fold.shares(rank)) {
    auto taken = channel.receive(rank - 1, theirs);
    co_await taken;
    combine_in_order(channel, reduction, false, data, theirs);
  }

  // Reduce and scatter: each of two partners continues with one half.
  const int position = fold.position(rank);
  for (int distance = 1; distance < fold.positions; distance *= 2) {
    const int partner = fold.actor(position ^ distance);
    const bool is_lower = (position & distance) == 0;
    const auto [lower, upper] = halves(left_to(position, distance, data, element), element);
    const auto kept = is_lower ? lower : upper;
    const auto incoming = theirs.first(kept.size());
    auto arrived = channel.receive(partner, incoming);
    auto sent = channel.send(partner, is_lower ? upper : lower);
    co_await sent;
    co_await arrived;
    combine_in_order(channel, reduction, is_lower, kept, incoming);
  }
  // Gather the halves on the way back.
  for (int distance = fold.positions / 2; distance > 0; distance /= 2) {
    const int partner = fold.actor(position ^ distance);
    const bool is_lower = (position & distance) == 0;
    const auto [lower, upper] = halves(left_to(position, distance, data, element), element);
    auto arrived = channel.receive(partner, is_lower ? upper : lower);
    auto sent = channel.send(partner, is_lower ? lower : upper);
    co_await sent;
    co_await arrived;
  }

  if (fold.shares(rank)) {
    auto returned = channel.send(rank - 1, data);
    co_await returned;
  }
}

}  // namespace bowline::coll
