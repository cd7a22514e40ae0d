// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "coll/algorithms/reduce/reduce.hpp"
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/single_copy.hpp"

namespace bowline::coll {
namespace {

constexpr std::size_t run_bytes =
    64 << 10;  // bytes per read: few, so that the data are still in the cache when they are combined

/// One member's share of the work: runs of the result, which it combines in the root's memory or writes there.
class Combiner {
 public:
  Combiner(Channel& channel, const Arguments& arguments)
      : channel_(channel),
        arguments_(arguments),
        root_(channel.rank() == arguments.root),
        saves_(root_ && arguments.input.data() == arguments.result.data() && channel.rank() + 1 != channel.size()),
        run_(std::min(run_bytes / arguments.reduction->element() * arguments.reduction->element(),
                      arguments.input.size())),
        theirs_(channel, run_),
        own_(channel, saves_ ? run_ : 0),
        sums_(channel, root_ ? 0 : run_) {}

  void combine(std::size_t begin, std::size_t length) {
    for (std::size_t at = begin; at < begin + length; at += run_) combine_run(at, std::min(run_, begin + length - at));
  }

 private:
  void combine_run(std::size_t at, std::size_t length) {
    Slots& slots = channel_.slots();
    const int rank = channel_.rank();
    const int last = channel_.size() - 1;
    const std::span<std::byte> sum = root_ ? arguments_.result.subspan(at, length) : sums_.first(length);
    std::span<const std::byte> mine = arguments_.input.subspan(at, length);
    if (saves_) {
      channel_.copy(mine, own_.data());
      mine = own_.first(length);
    }
    for (int member = last; member >= 0; --member) {
      if (member == rank) {
        if (member == last) {
          channel_.copy(mine, sum.data());
        } else {
          channel_.combine(*arguments_.reduction, mine.data(), sum);
        }
        continue;
      }
      const std::span<std::byte> into = member == last ? sum : theirs_.first(length);
      slots.read(member, SharedWork::of(slots, member).address() + at, into);
      if (member != last) channel_.combine(*arguments_.reduction, into.data(), sum);
    }
    if (!root_) slots.write(arguments_.root, sum, SharedWork::of(slots, arguments_.root).second() + at);
  }

  Channel& channel_;
  const Arguments& arguments_;
  bool root_;
  bool saves_;  ///< whether the result overwrites the own operand, which is needed later
  std::size_t run_;
  Scratch theirs_;
  Scratch own_;
  Scratch sums_;
};

/// With two members, the member that is not the root need not combine: it writes its operand, from the end on, to the
/// place of the result as far as the root has not read it yet. That takes less time than combining a half, which would
/// need a read and a write. The root itself reads the first piece, the only one of short data: its core has changed the
/// memory of the result just before, so other cores write there slowly.
bool lands(const Channel& channel, const Arguments& arguments) noexcept {
  const bool combines_from_left = channel.rank() == 0;
  return channel.size() == 2 && combines_from_left && arguments.input.data() != arguments.result.data();
}

Task land(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Reduction& reduction = *arguments.reduction;
  const int other = 1 - channel.rank();
  const std::span<std::byte> result = arguments.result;
  SharedWork& work = SharedWork::of(slots, other);
  const std::uint64_t pieces = work.pieces(result.size());
  std::size_t at = 0;
  bool is_taken = work.take(pieces);
  if (!is_taken) slots.publish(2);
  while (is_taken) {
    const std::span<std::byte> piece = result.subspan(at, std::min(work.piece(), result.size() - at));
    slots.read(other, work.address() + at, piece);
    is_taken = work.take(pieces);
    if (!is_taken) slots.publish(2);  // before the last piece is combined: the other member waits only for the reads
    channel.combine(reduction, arguments.input.data() + at, piece);
    at += piece.size();
  }
  auto written = slots.reached(other, 2);
  co_await written;
  if (slots.abandoned(other)) slots.fail_after(other);
  channel.combine(reduction, arguments.input.data() + at, result.subspan(at));
}

Task write_back(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const int root = arguments.root;
  SharedWork& work = SharedWork::of(slots, channel.rank());
  const std::uint64_t pieces = work.pieces(arguments.input.size());
  std::byte* const result = SharedWork::of(slots, root).second();
  std::size_t end = arguments.input.size();
  for (std::uint64_t taken = 1; taken < pieces && work.take(pieces); ++taken) {
    const std::size_t at = static_cast<std::size_t>(pieces - taken) * work.piece();
    slots.write(root, arguments.input.subspan(at, end - at), result + at);
    end = at;
  }
  slots.publish(2);
  auto read = slots.reached(root, 2);
  co_await read;
}

/// All members combine pieces.
Task share(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  Combiner combiner(channel, arguments);
  SharedWork::of(slots, arguments.root).share(arguments.input.size(), [&](std::size_t begin, std::size_t length) {
    combiner.combine(begin, length);
  });
  slots.publish(2);
  int failed = -1;
  for (int member = 0; member < channel.size(); ++member) {
    if (member == channel.rank()) continue;
    auto combined = slots.reached(member, 2);
    co_await combined;
    if (slots.abandoned(member)) failed = member;
  }
  if (failed >= 0) slots.fail_after(failed);
}

Task reduce_agreed(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const int rank = channel.rank();
  const int size = channel.size();
  const std::size_t bytes = arguments.input.size();
  auto vacant = slots.vacancy();
  co_await vacant;
  slots.tell_bytes(bytes);
  const bool at_root = rank == arguments.root;
  const std::byte* const operand = at_root && lands(channel, arguments) ? nullptr : arguments.input.data();
  SharedWork::make(slots, rank, bytes, operand, arguments.result.data(), arguments.reduction->element());
  slots.publish(1);
  for (int member = 0; member < size; ++member) {
    if (member == rank) continue;
    auto told = slots.reached(member, 1);
    co_await told;
    if (slots.bytes_of(member) == bytes) continue;
    slots.abandon();
    throw Error(ErrorClass::truncate,
                fmt::format("rank {} of the communicator reduces {} bytes, but this process {}: give the same count "
                            "and type in all ranks",
                            member, slots.bytes_of(member), bytes));
  }
  const bool landing = size == 2 && SharedWork::of(slots, arguments.root).address() == nullptr;
  const auto way = !landing ? share : at_root ? land : write_back;
  Task combining = way(channel, arguments);
  co_await combining;
}

}  // namespace

Task reduce_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return reduce_shares(channel, arguments);
  return reduce_agreed(channel, arguments);
}

}  // namespace bowline::coll
