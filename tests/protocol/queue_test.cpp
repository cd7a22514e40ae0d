// SPDX-License-Identifier: BSD-3-Clause
// Sends that find no room: they wait at their peer, in order, and go out as soon as there is room.
#include <gtest/gtest.h>

#include <random>

#include "recording.hpp"
#include "support/seed.hpp"

namespace bowline::proto {
namespace {

class Queue : public ProtocolTest {
 protected:
  void no_room() {
    device.refuse = [](int) { return true; };
  }
  void room() { device.refuse = nullptr; }
  std::vector<int> tags_sent_to(int rank) const {
    std::vector<int> tags;
    for (const Message& message : device.sent) {
      if (message.rank == rank) tags.push_back(message.header.tag);
    }
    return tags;
  }
  void finish(const Message& announcement) {
    device.deliver(announcement.rank, Kind::finished, SendId{announcement.read<ReadyToSend>().send_id});
  }
};

TEST_F(Queue, ASendWithoutRoomWaitsAndGoesOutLater) {
  no_room();
  Bytes data = pattern(100);
  Request& request = isend(1, 7, data);
  EXPECT_NE(&request, &completed_request());
  EXPECT_FALSE(request.done);
  for (int i = 0; i < 3; ++i) engine.progress();
  EXPECT_FALSE(request.done);
  EXPECT_TRUE(device.sent.empty());
  room();
  engine.progress();
  EXPECT_TRUE(request.done);
  ASSERT_EQ(device.sent.size(), 1U);
  EXPECT_EQ(device.sent[0].body, data);
  EXPECT_EQ(device.sent[0].header.tag, 7);
  engine.release(request);
}

TEST_F(Queue, ABlockingSendWaitsForRoom) {
  no_room();
  Bytes data = pattern(100);
  device.script.push_back([&] { EXPECT_TRUE(device.sent.empty()); });
  device.script.push_back([&] { room(); });
  engine.send(1, header(0, 7), buffer(data));
  EXPECT_EQ(device.sent.size(), 1U);
}

TEST_F(Queue, NothingOvertakesASendThatWaits) {
  Bytes data = pattern(100);
  no_room();
  Request& first = isend(1, 1, data);
  room();
  Request& second = isend(1, 2, data);
  Request& third = isend(1, 3, data);
  for (Request* request : {&first, &second, &third}) {
    engine.wait(*request);
    engine.release(*request);
  }
  EXPECT_EQ(tags_sent_to(1), (std::vector{1, 2, 3}));
}

TEST_F(Queue, AnnouncementsKeepTheirPlace) {
  Bytes small = pattern(100);
  Bytes large = pattern(100'000);
  no_room();
  Request& first = isend(1, 1, small);
  Request& second = isend(1, 2, large);
  Request& third = isend(1, 3, small);
  room();
  engine.progress();
  EXPECT_EQ(tags_sent_to(1), (std::vector{1, 2, 3}));
  EXPECT_TRUE(first.done);
  EXPECT_FALSE(second.done);
  EXPECT_TRUE(third.done);
  finish(device.sent.at(1));
  engine.wait(second);
  for (Request* request : {&first, &second, &third}) engine.release(*request);
}

TEST_F(Queue, OneFullPeerDoesNotHoldUpAnother) {
  device.refuse = [](int rank) { return rank == 1; };
  Bytes data = pattern(100);
  Request& stuck = isend(1, 1, data);
  EXPECT_EQ(&isend(2, 2, data), &completed_request());
  device.refuse = [](int rank) { return rank == 2; };
  Request& other = isend(2, 3, data);
  engine.wait(stuck);
  EXPECT_FALSE(other.done);
  room();
  engine.wait(other);
  engine.release(stuck);
  engine.release(other);
}

TEST_F(Queue, ControlsOvertakeSends) {
  // What answers an announcement belongs to a message that has been matched: it must not wait behind later messages.
  Bytes small = pattern(100);
  const Bytes theirs = pattern(50'000);
  Bytes data(50'000);
  no_room();
  Request& send = isend(1, 1, small);
  Request& receive = ireceive(1, 9, data);
  device.deliver(1, Kind::ready_to_send,
                 ReadyToSend{.address = reinterpret_cast<std::uint64_t>(theirs.data()), .bytes = 50'000, .send_id = 5},
                 header(1, 9));
  engine.progress();
  EXPECT_TRUE(receive.done) << "the data are here, whether or not the sender knows";
  EXPECT_TRUE(device.sent.empty());
  room();
  engine.wait(send);
  ASSERT_EQ(device.sent.size(), 2U);
  EXPECT_EQ(device.sent[0].kind(), Kind::finished);
  EXPECT_EQ(device.sent[0].read<SendId>().send_id, 5U);
  EXPECT_EQ(device.sent[1].kind(), Kind::eager);
  engine.release(send);
  engine.release(receive);
}

TEST_F(Queue, ControlsKeepTheirOrder) {
  no_room();
  const Bytes theirs = pattern(20'000);
  std::vector<Bytes> data(5, Bytes(20'000));
  for (int i = 0; i < 5; ++i) engine.release(ireceive(1, i, data[static_cast<std::size_t>(i)]));
  for (int i = 0; i < 5; ++i) {
    device.deliver(1, Kind::ready_to_send,
                   ReadyToSend{.address = reinterpret_cast<std::uint64_t>(theirs.data()),
                               .bytes = 20'000,
                               .send_id = static_cast<std::uint64_t>(i + 100)},
                   header(1, i));
  }
  engine.progress();
  int calls = 0;
  device.refuse = [&](int) { return ++calls % 2 == 0; };
  engine.drain();
  ASSERT_EQ(device.sent.size(), 5U);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(device.sent[i].read<SendId>().send_id, i + 100);
}

TEST_F(Queue, TheDataOfAWaitingSendAreThoseOfItsBufferWithoutHoles) {
  struct DoubleInt {
    double value;
    int index;
  };
  const dtype::Datatype& type = *dtype::predefined_datatype(0x229);
  DoubleInt pairs[3] = {{1, 1}, {2, 2}, {3, 3}};
  Bytes packed(36);
  dtype::pack(type, 3, pairs, packed.data());
  no_room();
  Request& request = engine.isend(1, header(0, 1), {reinterpret_cast<std::byte*>(pairs), 3, &type});
  room();
  engine.wait(request);
  EXPECT_EQ(device.sent.at(0).body, packed);
  engine.release(request);
}

TEST_F(Queue, DrainWaitsForEverythingBegun) {
  Bytes small = pattern(100);
  Bytes large = pattern(100'000);
  no_room();
  engine.release(isend(1, 1, small));
  engine.release(isend(2, 2, large));
  bool finished = false;
  device.script.push_back([&] { room(); });
  device.script.push_back([&] {
    finished = true;
    finish(device.sent.back());
  });
  engine.drain();
  EXPECT_TRUE(finished);
  EXPECT_EQ(device.sent.size(), 2U);
}

TEST_F(Queue, DrainDoesNotWaitForReceives) {
  Bytes data(10);
  Request& request = ireceive(1, 1, data);
  engine.drain();
  EXPECT_FALSE(request.done);
  device.deliver(1, header(1, 1));
  engine.wait(request);
  engine.release(request);
}

TEST_F(Queue, RandomRefusalsNeverChangeTheOrder) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    device.sent.clear();
    device.refuse = [&](int) { return random() % 3 != 0; };
    Bytes data = pattern(100);
    std::vector<Request*> requests;
    constexpr int count = 500;
    for (int i = 0; i < count; ++i) {
      for (int rank = 1; rank < 4; ++rank) requests.push_back(&isend(rank, i, data));
      if (random() % 4 == 0) engine.progress();
    }
    for (Request* request : requests) {
      engine.wait(*request);
      engine.release(*request);
    }
    for (int rank = 1; rank < 4; ++rank) {
      const std::vector<int> tags = tags_sent_to(rank);
      ASSERT_EQ(tags.size(), static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) EXPECT_EQ(tags[static_cast<std::size_t>(i)], i);
    }
  }
}

}  // namespace
}  // namespace bowline::proto
