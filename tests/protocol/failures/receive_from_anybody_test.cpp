// SPDX-License-Identifier: BSD-3-Clause
// Receives from any source, of whose possible senders one has ended.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "silent_peer.hpp"

namespace bowline::proto {
namespace {

TEST_F(SilentPeer, AReceiveFromAnybodyPendsUntilTheLossIsAcknowledged) {
  Request& request = ireceive_anything();
  for (int i = 0; i < 2; ++i) {
    EXPECT_FALSE(engine.wait_unless_pending(request));
    EXPECT_FALSE(request.done);
    EXPECT_TRUE(engine.liveness().pends(request));
  }
  EXPECT_EQ(directory.found, std::vector{1});
  directory.acknowledged = 1;
  EXPECT_FALSE(engine.liveness().pends(request));
  expect_undisturbed(request);
  device.deliver(3, header(3, 7), data);
  expect_received(request);
}

TEST_F(SilentPeer, ABlockingReceiveFromAnybodyFailsUntilTheLossIsAcknowledged) {
  const auto receive = [&] { return engine.receive({context, any_source, 7}, buffer(target)); };
  for (int i = 0; i < 2; ++i) {
    try {
      receive();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::proc_failed);
      EXPECT_NE(std::string(error.what()).find("rank 1"), std::string::npos) << error.what();
    }
  }
  directory.acknowledged = 1;
  device.deliver(3, header(3, 7), data);
  EXPECT_EQ(receive().source, 3);
}

TEST_F(SilentPeer, AReceiveFromAnybodyFailsWhenNobodyIsLeft) {
  device.lost = true;  // all
  Request& request = ireceive_anything();
  EXPECT_FALSE(engine.wait_unless_pending(request));
  directory.acknowledged = 3;
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::proc_failed);
  engine.release(request);
}

TEST_F(SilentPeer, AReceiveFromAnybodyWaitsForTheOthersOfOneThatHasSaidGoodBye) {
  device.left = {1};
  engine.send(1, header(0, 7), buffer(data));
  Request& request = ireceive_anything();
  expect_undisturbed(request);
  EXPECT_TRUE(directory.found.empty());
  device.deliver(3, header(3, 7), data);
  expect_received(request);
}

TEST_F(SilentPeer, AReceiveFromAnybodyFailsWhenAllOthersHaveSaidGoodBye) {
  device.lost = true;
  device.left = {1, 2, 3};
  for (const int peer : device.left) engine.send(peer, header(0, 7), buffer(data));
  Request& request = ireceive_anything();
  engine.wait(request);
  EXPECT_EQ(request.status.error, ErrorClass::proc_aborted);
  EXPECT_TRUE(directory.found.empty());
  engine.release(request);
}

TEST_F(SilentPeer, AReceiveFromAnySourceWaitsWhileOneOfTheOtherGroupIsLeft) {
  device.only_lost = 2;
  EXPECT_THROW(engine.receive({Neighbours::without, 0, 7}, buffer(target)), Error);
  EXPECT_EQ(directory.found, std::vector{2});
  Request& request = engine.ireceive({Neighbours::without, any_source, 7}, buffer(target));
  expect_undisturbed(request);
  device.deliver(3, header(1, 7, Neighbours::without), data);
  expect_received(request);
}

}  // namespace
}  // namespace bowline::proto
