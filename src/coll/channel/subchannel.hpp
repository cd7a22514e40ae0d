// SPDX-License-Identifier: BSD-3-Clause
// SubChannel: a channel of some members of another channel. Composed algorithms use one among the members of a node,
// and another among one member of each node.
#pragma once

#include <cstddef>
#include <span>

#include "coll/channel/channel.hpp"

namespace bowline::coll {

/// The members of a channel that belong to a part of it, in the part's order: `first`, `first + stride` ..., or a table
/// that the caller keeps. One of them may be replaced by another member.
struct Members {
  int count = 0;
  int first = 0;
  int stride = 1;
  const int* table = nullptr;
  int replaced = -1;
  int replacement = 0;

  int operator[](int index) const noexcept {
    if (index == replaced) return replacement;
    return table != nullptr ? table[index] : first + index * stride;
  }
  void replace(int index, int member) noexcept {
    replaced = index;
    replacement = member;
  }
};

/// This member is number `rank` of `members`. Two members must execute phases in the same order, because their
/// transfers share the order of the outer channel. The outer channel must outlive this object.
class SubChannel final : public Channel {
 public:
  /// `slots`: shared memory of these members, with a sequence number of their own; nullptr if they have none.
  SubChannel(Channel& outer, const Members& members, int rank, Slots* slots = nullptr) noexcept
      : Channel(rank, members.count), outer_(outer), members_(members) {
    slots_ = slots;
  }

  void fail(const Error& why) override { outer_.fail(why); }
  const Error* failure() const noexcept override { return outer_.failure(); }
  void copy(std::span<const std::byte> from, std::byte* to) override { outer_.copy(from, to); }
  void combine(const Reduction& reduction, const std::byte* left, std::span<std::byte> inout) override {
    outer_.combine(reduction, left, inout);
  }

 private:
  Completion* begin_send(int to, std::span<const std::byte> data) override {
    return outer_.begin_send(members_[to], data);
  }
  Completion* begin_receive(int from, std::span<std::byte> data) override {
    return outer_.begin_receive(members_[from], data);
  }
  void end(Completion& completion) override { outer_.end(completion); }
  void abandon(Completion& completion) noexcept override { outer_.abandon(completion); }
  std::byte* take_scratch(std::size_t bytes) override {
    // With shared memory this member's own channel allocates it, and sets the failure flag if it cannot.
    return slots_ != nullptr ? Channel::take_scratch(bytes) : outer_.take_scratch(bytes);
  }
  void give_scratch(std::byte* memory, std::size_t bytes) noexcept override { outer_.give_scratch(memory, bytes); }

  Channel& outer_;
  Members members_;
};

}  // namespace bowline::coll
