// SPDX-License-Identifier: BSD-3-Clause
// From member to member, in pieces: each member reads the result of the one below from that member's buffer. A member
// may leave when the member above it has read all pieces, so rows of operations overlap.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/single_copy.hpp"

namespace bowline::coll {
namespace {

/// Steps: 1, the addresses are published; 1 + n, n pieces of the result are ready, and n pieces of the member below are
/// no longer needed.
class Line {
 public:
  Line(Channel& channel, const Arguments& arguments) noexcept : channel_(channel), bytes_(arguments.input.size()) {
    // The data are divided into several pieces, unless the pieces get too short, so that all members work at the same
    // time.
    constexpr std::size_t shortest = 64 << 10, longest = 256 << 10;
    const std::size_t element = arguments.reduction->element();
    piece_ = std::clamp(bytes_ / 8, shortest, longest) / element * element;
  }

  std::uint64_t pieces() const noexcept { return (bytes_ + piece_ - 1) / piece_; }
  std::size_t longest() const noexcept { return std::min(piece_, bytes_); }
  std::size_t begin(std::uint64_t index) const noexcept { return static_cast<std::size_t>(index) * piece_; }
  std::size_t length(std::uint64_t index) const noexcept { return std::min(piece_, bytes_ - begin(index)); }

  void refuse(int member) {
    Slots& slots = channel_.slots();
    const std::size_t theirs = slots.bytes_of(member);
    slots.abandon();
    if (theirs == bytes_)
      throw Error(ErrorClass::other, fmt::format("rank {} of the communicator has abandoned the call", member));
    throw Error(ErrorClass::truncate, fmt::format("rank {} of the communicator scans {} bytes, but this process {}: "
                                                  "give the same count and type in all ranks",
                                                  member, theirs, bytes_));
  }

 private:
  Channel& channel_;
  std::size_t bytes_;
  std::size_t piece_;
};

Task scan(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Reduction& reduction = *arguments.reduction;
  const int rank = channel.rank();
  Line line(channel, arguments);
  auto vacant = slots.vacancy();
  co_await vacant;
  slots.tell_bytes(arguments.input.size());
  if (rank == 0) {
    put_address(slots, rank, 0, arguments.input.data());
    slots.publish(1 + line.pieces());
    channel.copy(arguments.input, arguments.result.data());
  } else {
    put_address(slots, rank, 0, arguments.result.data());
    slots.publish(1);
    const Scratch below(channel, line.longest());
    auto told = slots.reached(rank - 1, 1);
    co_await told;
    if (slots.bytes_of(rank - 1) != arguments.input.size()) line.refuse(rank - 1);
    for (std::uint64_t i = 0; i < line.pieces(); ++i) {
      auto there = slots.reached(rank - 1, 2 + i);
      co_await there;
      if (slots.abandoned(rank - 1)) line.refuse(rank - 1);
      const std::span<const std::byte> own = arguments.input.subspan(line.begin(i), line.length(i));
      const std::span<std::byte> sum = arguments.result.subspan(line.begin(i), line.length(i));
      slots.read(rank - 1, get_address(slots, rank - 1, 0) + line.begin(i), below.first(sum.size()));
      channel.copy(own, sum.data());
      channel.combine(reduction, below.data(), sum);
      slots.publish(2 + i);
    }
  }
  if (rank + 1 == channel.size()) co_return;
  auto read = slots.reached(rank + 1, 1 + line.pieces());
  co_await read;
}

/// A member passes on a value that includes its operand; its result does not include the operand.
Task exscan(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const int rank = channel.rank();
  const bool above = rank + 1 < channel.size();
  Line line(channel, arguments);
  const Scratch sums(channel, rank > 0 && above ? arguments.input.size() : 0);
  auto vacant = slots.vacancy();
  co_await vacant;
  slots.tell_bytes(arguments.input.size());
  put_address(slots, rank, 0, rank == 0 ? arguments.input.data() : sums.data());
  slots.publish(rank == 0 ? 1 + line.pieces() : 1);
  if (rank > 0) {
    auto told = slots.reached(rank - 1, 1);
    co_await told;
    if (slots.bytes_of(rank - 1) != arguments.input.size()) line.refuse(rank - 1);
  }
  for (std::uint64_t i = 0; rank > 0 && i < line.pieces(); ++i) {
    auto there = slots.reached(rank - 1, 2 + i);
    co_await there;
    if (slots.abandoned(rank - 1)) line.refuse(rank - 1);
    const std::span<std::byte> result = arguments.result.subspan(line.begin(i), line.length(i));
    if (above)  // before the result arrives, because the result may overwrite the operand
      channel.copy(arguments.input.subspan(line.begin(i), line.length(i)), sums.data() + line.begin(i));
    slots.read(rank - 1, get_address(slots, rank - 1, 0) + line.begin(i), result);
    if (above) channel.combine(*arguments.reduction, result.data(), sums.subspan(line.begin(i), line.length(i)));
    slots.publish(2 + i);
  }
  if (!above) co_return;
  auto read = slots.reached(rank + 1, 1 + line.pieces());
  co_await read;
}

}  // namespace

Task scan_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return scan_slots(channel, arguments);
  return scan(channel, arguments);
}

Task exscan_single_copy(Channel& channel, const Arguments& arguments) {
  if (channel.size() == 2) {            // member 1 gets the operand of member 0
    channel.slots().compare_nothing();  // the member that takes the data compares the lengths
    const std::span<const std::byte> data = arguments.input;
    const std::span<std::byte> first{const_cast<std::byte*>(data.data()),
                                     data.size()};  // the algorithm only reads these data
    return bcast_single_copy(channel, {.result = channel.rank() == 0 ? first : arguments.result});
  }
  if (!channel.slots().readable()) return exscan_slots(channel, arguments);
  return exscan(channel, arguments);
}

}  // namespace bowline::coll
