// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/rounds.hpp"
#include "coll/slots/slot_chunks.hpp"

namespace bowline::coll {
namespace {

/// A member's slot holds the result up to and including its own operand.
struct PassOn : RoundWork {
  static constexpr bool gives_what_it_takes = true;

  Channel& channel;
  const Arguments& arguments;
  SlotChunks pieces;
  bool inclusive;
  int below = channel.rank() - 1;
  bool last = channel.rank() + 1 == channel.size();

  PassOn(Channel& of, const Arguments& with, bool inclusive_)
      : channel(of),
        arguments(with),
        pieces(of.slots(), with.input.size(), with.reduction->element()),
        inclusive(inclusive_) {}

  bool tells(std::uint64_t) const noexcept { return !last || pieces.rounds() > 2; }
  void give(std::uint64_t round) {
    const std::span<const std::byte> own = pieces.of(arguments.input, round);
    const std::span<std::byte> result = pieces.of(arguments.result, round);
    if (inclusive || !last) {
      const std::span<std::byte> sum = last ? result : std::span(pieces.at(channel.rank(), round), own.size());
      channel.copy(own, sum.data());
      if (below >= 0) channel.combine(*arguments.reduction, pieces.at(below, round), sum);
    }
    if (inclusive && below < 0) channel.copy(own, result.data());
    if (!inclusive && below >= 0) channel.copy({pieces.at(below, round), result.size()}, result.data());
  }
  /// By now this member has published the data for which the members above wait.
  void take(std::uint64_t round, int) {
    const std::span<std::byte> result = pieces.of(arguments.result, round);
    if (inclusive && !last) channel.copy({pieces.at(channel.rank(), round), result.size()}, result.data());
  }
};

Task pass_on(Channel& channel, const Arguments& arguments, bool inclusive) {
  const PassOn work(channel, arguments, inclusive);
  const int above = channel.rank() + 1;
  return go_through(channel,
                    {.count = work.pieces.rounds(),
                     .sources = work.below < 0 ? MemberRange{} : MemberRange{work.below, work.below},
                     .readers = work.last ? MemberRange{} : MemberRange{above, above},
                     .writes = work.last ? Writes::nothing : work.pieces.writes()},
                    work);
}

}  // namespace

Task scan_slots_pipeline(Channel& channel, const Arguments& arguments) {
  return pass_on(channel, arguments, true);
}

Task exscan_slots_pipeline(Channel& channel, const Arguments& arguments) {
  return pass_on(channel, arguments, false);
}

}  // namespace bowline::coll
