// SPDX-License-Identifier: BSD-3-Clause
// Communicators that have the same index one after the other: a message of a freed one that comes late belongs to none
// of those after it, and one that comes before its communicator is made is kept for it.
#include <gtest/gtest.h>

#include "recording.hpp"

namespace bowline::proto {
namespace {

class Generations : public ProtocolTest {
 protected:
  static constexpr std::uint32_t of(std::uint32_t generation) {
    return make_context(1, 0, Purpose::point_to_point, generation);
  }
  void deliver(std::uint32_t generation, const Bytes& data) {
    device.deliver(1, header(1, 7, of(generation)), data);
    engine.progress();
  }
  Request& ireceive(std::uint32_t generation, Bytes& bytes) {
    return engine.ireceive({of(generation), 1, 7}, buffer(bytes));
  }
  Bytes old = pattern(20, 1), fresh = pattern(20, 2), target = Bytes(20, untouched);
};

TEST_F(Generations, ShareASlotAndNothingElse) {
  EXPECT_EQ(slot_of(of(1)), slot_of(of(2)));
  EXPECT_NE(of(1), of(2));
  EXPECT_EQ(of(1), of(1 + context_generations));
  for (const std::uint32_t generation : {0U, 1U, 510U, 511U, ~0U}) {
    for (const std::uint32_t index : {0U, 1U, 77U, max_indices - 1}) {
      const std::uint32_t context = make_context(index, max_lanes - 1, Purpose::local, generation);
      EXPECT_EQ(index_of(context), index);
      EXPECT_EQ(lane_of(context), max_lanes - 1);
      EXPECT_EQ(with_purpose(context, Purpose::collective) | 2, context);
      EXPECT_NE(context, no_context);
    }
  }
}

TEST_F(Generations, ALateMessageIsNotReceivedByTheNextOne) {
  Bytes first(20);
  Request& used = ireceive(1, first);
  deliver(1, old);
  engine.release(used);
  engine.forget(of(1));
  Request& request = ireceive(2, target);
  deliver(1, old);
  EXPECT_FALSE(request.done);
  deliver(2, fresh);
  ASSERT_TRUE(request.done);
  EXPECT_EQ(target, fresh);
  engine.release(request);
}

TEST_F(Generations, ALateMessageBeforeTheNextOneIsMadeIsDroppedThen) {
  engine.forget(of(1));
  deliver(1, old);
  Status status;
  EXPECT_FALSE(engine.iprobe({of(2), any_source, any_tag}, status));
  Request& request = ireceive(2, target);
  EXPECT_FALSE(request.done);
  deliver(2, fresh);
  EXPECT_EQ(target, fresh);
  engine.release(request);
}

TEST_F(Generations, AnEarlyMessageWaitsForItsCommunicator) {
  deliver(1, old);    // late
  deliver(2, fresh);  // another member has made the next one already
  deliver(1, old);
  Request& request = ireceive(2, target);
  ASSERT_TRUE(request.done);
  EXPECT_EQ(target, fresh);
  engine.release(request);
}

TEST_F(Generations, WhatIsForgottenIsGoneWhereverItStands) {
  deliver(1, old);
  deliver(2, fresh);
  engine.forget(of(2));  // never received here
  Request& request = ireceive(2, target);
  EXPECT_FALSE(request.done);
  engine.cancel(request);
  engine.release(request);
}

TEST_F(Generations, LateAnnouncementsAreDroppedToo) {
  deliver(1, old);
  engine.forget(of(1));
  const Bytes memory = pattern(50'000);
  const ReadyToSend offer{
      .address = reinterpret_cast<std::uint64_t>(memory.data()), .bytes = memory.size(), .send_id = 5};
  device.deliver(1, Kind::ready_to_send, offer, header(1, 7, of(1)));
  engine.progress();
  Request& request = ireceive(2, target);
  EXPECT_FALSE(request.done);
  EXPECT_TRUE(device.sent.empty());
  deliver(2, fresh);
  EXPECT_EQ(target, fresh);
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
