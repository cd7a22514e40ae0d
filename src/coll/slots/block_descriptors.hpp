// SPDX-License-Identifier: BSD-3-Clause
// BlockDescriptors: a member describes the blocks that it has for others: short data by value, long data by address. A
// member that reads a descriptor learns the length from it, so members need not know each other's lengths.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

#include "coll/channel/channel.hpp"
#include "coll/slots/single_copy.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

class BlockDescriptors {
 public:
  /// `places`: the number of a member's simultaneous descriptors: one for all other members, or one for each. In the
  /// smallest slot, Shares::most_members places hold a cache line of data each.
  /// `longest`: data beyond this length are described by address also if they fit into the slot.
  BlockDescriptors(const Slots& slots, int places, std::size_t longest) noexcept
      : slots_(slots),
        common_(places == 1),
        stride_(common_ ? slots.slot_bytes()  // avoids a division, which takes longer than a short copy
                        : slots.slot_bytes() / static_cast<std::size_t>(places) / alignment * alignment),
        room_(common_ ? stride_ : stride_ - sizeof(Head)),
        longest_(std::min(room_, longest)) {}

  /// Whether data of this length must stay in the owner's buffer, where the others read them.
  bool lends(std::size_t bytes) const noexcept { return bytes > longest_; }

  /// Called by the owner before it publishes its first step. `place`: 0 or the member's number. `lend`: whether the
  /// data stay in the owner's buffer; not if they are inline data.
  void put(Channel& channel, int place, std::span<const std::byte> data, bool lend) const {
    const Head head{lend ? data.data() : nullptr, data.size()};
    if (!common_) {
      std::byte* const begin = at(channel.rank(), place);
      std::memcpy(begin + room_, &head, sizeof head);
      if (!lend) channel.copy(data, begin);
      return;
    }
    channel.slots().tell_bytes(data.size() | (lend ? lent : 0));
    std::byte* const inline_data = slots_.inline_data(channel.rank());
    if (lend) {
      std::memcpy(inline_data, &head.address, sizeof head.address);
    } else {
      channel.copy(data, data.size() <= FlagLine::inline_bytes ? inline_data : slots_.slot(channel.rank()));
    }
  }

  /// `address`: in the owner's memory if the owner lends the data. With one place for all, an owner that runs another
  /// algorithm may lend where lends() does not hold, or the other way round: then it has described nothing else.
  struct Descriptor {
    const std::byte* address;
    std::size_t bytes;
    bool is_lent;
  };
  /// Called by a member that has seen that step.
  Descriptor get(int owner, int place) const noexcept {
    if (!common_) {
      Head head;
      const std::byte* const begin = at(owner, place);
      std::memcpy(&head, begin + room_, sizeof head);
      const bool is_lent = head.address != nullptr;
      return {is_lent ? head.address : begin, head.bytes, is_lent};
    }
    const std::size_t told = slots_.bytes_of(owner), bytes = told & ~lent;
    if (bytes <= FlagLine::inline_bytes) return {slots_.inline_data(owner), bytes, false};
    if ((told & lent) == 0) return {slots_.slot(owner), bytes, false};
    const std::byte* address = nullptr;
    std::memcpy(&address, slots_.inline_data(owner), sizeof address);
    return {address, bytes, true};
  }

 private:
  static constexpr std::size_t alignment = 64;
  /// Lies behind the data, which therefore start at a page boundary if there are few places. No address: the data are
  /// in front.
  struct Head {
    const std::byte* address;
    std::size_t bytes;
  };

  std::byte* at(int owner, int place) const noexcept {
    return slots_.slot(owner) + static_cast<std::size_t>(place) * stride_;
  }

  const Slots& slots_;
  bool common_;  ///< the head is in the owner's line, beside its flag
  std::size_t stride_;
  std::size_t room_;  ///< for the data of a place
  std::size_t longest_;
};

}  // namespace bowline::coll
