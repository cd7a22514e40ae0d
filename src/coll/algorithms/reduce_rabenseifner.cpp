// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "coll/algorithms/reduce.hpp"

namespace bowline::coll {
namespace {

/// What a member is responsible for, in elements.
struct Part {
  std::size_t first;
  std::size_t count;
};

/// The part of the vector that is left to a position when it has halved it with partners at all distances below this.
Part part_of(std::size_t elements, int position, int distance) noexcept {
  Part part{0, elements};
  for (int bit = 1; bit < distance; bit *= 2) {
    const std::size_t half = part.count / 2;
    part = (position & bit) == 0 ? Part{part.first, half} : Part{part.first + half, part.count - half};
  }
  return part;
}

}  // namespace

Task reduce_rabenseifner(Channel& channel, const Arguments& arguments) {
  const Reduction& reduction = *arguments.reduction;
  const std::size_t elements = arguments.input.size() / std::max<std::size_t>(reduction.element(), 1);
  const int rank = channel.rank();
  const int root = arguments.root;
  const int pairs = static_cast<int>(std::bit_floor(static_cast<unsigned>(channel.size())));
  // Ranks 0 .. 2*folded-1 form pairs of which one steps back: the even one, unless it is the root.
  const int folded = channel.size() - pairs;
  const auto position_of = [=](int member) { return member < 2 * folded ? member / 2 : member - folded; };
  const auto member_at = [=](int position) {
    return position >= folded ? position + folded : 2 * position == root ? root : 2 * position + 1;
  };
  const int position = position_of(rank);
  if (member_at(position) != rank) {
    auto given = channel.send(rank ^ 1, arguments.input);
    co_await given;
    co_return;
  }

  const std::size_t bytes = arguments.input.size();
  const bool paired = rank < 2 * folded;
  const Scratch memory(channel, rank == root ? 0 : bytes);
  const Scratch theirs(channel, paired ? bytes : (elements + 1) / 2 * reduction.element());
  const std::span<std::byte> data = rank == root ? arguments.result : memory;
  std::span<const std::byte> have = arguments.input;  // and from the first combination on the data
  const auto in = [&](auto run, Part part) {
    return run.subspan(part.first * reduction.element(), part.count * reduction.element());
  };
  const auto combine = [&](bool mine_is_lower, Part part) {
    const std::span<std::byte> arrived = theirs.first(part.count * reduction.element());
    if (mine_is_lower && !reduction.commutative()) {
      channel.combine(reduction, in(have, part).data(), arrived);
      channel.copy(arrived, in(data, part).data());
    } else {
      channel.copy(in(have, part), in(data, part).data());
      channel.combine(reduction, arrived.data(), in(data, part));
    }
    have = data;
  };
  if (paired) {
    auto taken = channel.receive(rank ^ 1, theirs);
    co_await taken;
    combine(rank % 2 == 0, {0, elements});
  }

  for (int distance = 1; distance < pairs; distance *= 2) {
    const int other = position ^ distance;
    const Part kept = part_of(elements, position, 2 * distance);
    const Part given = part_of(elements, other, 2 * distance);
    auto arrived = channel.receive(member_at(other), theirs.first(kept.count * reduction.element()));
    auto sent = channel.send(member_at(other), in(have, given));
    co_await sent;
    co_await arrived;
    combine(position < other, kept);
  }

  for (int distance = pairs / 2; distance > 0; distance /= 2) {
    const int other = position ^ distance;
    if ((position & distance) != (position_of(root) & distance)) {
      auto handed_over = channel.send(member_at(other), in(have, part_of(elements, position, 2 * distance)));
      co_await handed_over;
      co_return;
    }
    auto arrived = channel.receive(member_at(other), in(data, part_of(elements, other, 2 * distance)));
    co_await arrived;
  }
  channel.copy(have, data.data());  // alone, nobody has combined anything
}

}  // namespace bowline::coll
