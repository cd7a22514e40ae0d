// SPDX-License-Identifier: BSD-3-Clause
// coll/single_copy: a reader has all of the root's data, whoever copied which piece, and the root gets its buffer back.
#include "coll/slots/single_copy.hpp"

#include "base/error.hpp"
#include "slot_team.hpp"

namespace bowline::coll {
namespace {

constexpr std::size_t piece = 32 << 10, pieces = 2;

/// The first word of each piece stands for the piece.
using Buffer = std::array<std::byte, pieces * piece>;

void fill(Buffer& buffer, std::uint64_t value) {
  for (std::size_t at = 0; at < buffer.size(); at += piece) {
    const std::uint64_t word = value + at;
    copy_to_shared(buffer.data() + at, &word, sizeof word);
  }
}
bool holds(const Buffer& buffer, std::uint64_t value) {
  bool equal = true;
  for (std::size_t at = 0; at < buffer.size(); at += piece) {
    std::uint64_t word = 0;
    copy_from_shared(&word, buffer.data() + at, sizeof word);
    equal = equal && word == value + at;
  }
  return equal;
}

/// The root lends its buffer to all members and helps each of them, as bcast_single_copy does. `fails`: it cannot.
template <int members, bool fails>
struct Lent : model::Suite<Lent<members, fails>, members> {
  static constexpr std::uint64_t sent = 7000, afterwards = 8000;
  alignas(64) static inline std::array<Buffer, members> buffers;
  ModelTeam<members> team;

  void run(unsigned rank) {
    ModelMember me = team.member(rank);
    Slots slots = me.next();
    me.finish(rank == 0 ? lend(slots) : read(slots, buffers[rank]));
  }

  static Task lend(Slots& slots) {
    Buffer& data = buffers[0];
    fill(data, sent);
    put_address(slots, 0, 0, data.data());
    slots.publish(1);
    for (int member = 1; member < members; ++member) {
      auto there = slots.reached(member, 1);
      co_await there;
      SharedWork& work = SharedWork::of(slots, member);
      const auto move = [&](std::size_t at, std::size_t length) {
        if (fails) throw Error(ErrorClass::other, "the kernel refuses");
        slots.write(member, std::span(data).subspan(at, length), work.second() + at);
      };
      try {
        work.help(slots, data.size(), move);
      } catch (const Error&) {
        continue;
      }
    }
    for (int member = 1; member < members; ++member) {
      auto read = slots.reached(member, 2);
      co_await read;
    }
    fill(data, afterwards);
  }
  static Task read(Slots& slots, Buffer& mine) {
    auto there = slots.reached(0, 1);
    co_await there;
    Task borrowing = borrow(slots, 0, get_address(slots, 0, 0), mine);
    bool failed = false;
    try {
      co_await borrowing;
    } catch (const Error&) {
      failed = true;
    }
    RL_ASSERT(failed ? fails : holds(mine, sent));
  }
};

class SingleCopyModel : public SlotModel {};

TEST_F(SingleCopyModel, AReaderHasThePiecesThatTheRootWrote) {
  model::explore<Lent<2, false>>(20'000);
}
TEST_F(SingleCopyModel, EachReaderHasThePiecesThatTheRootWrote) {
  model::explore<Lent<3, false>>(10'000);
}
TEST_F(SingleCopyModel, AReaderWaitsForNoPieceThatTheRootCannotWrite) {
  model::explore<Lent<2, true>>(10'000);
}

}  // namespace
}  // namespace bowline::coll
