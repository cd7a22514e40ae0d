// SPDX-License-Identifier: BSD-3-Clause
// A peer that has left as it should (MPI_Finalize), and what waited for it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "silent_peer.hpp"

namespace bowline::proto {
namespace {

class PeerThatLeft : public SilentPeer {
 protected:
  PeerThatLeft() {
    device.left = {1};
    engine.send(1, header(0, 7), buffer(data));
  }
};

TEST_F(PeerThatLeft, FailsWhatWaitsForItAndIsNoLoss) {
  Bytes other(100);
  Request& anything = ireceive_anything();
  Request& doomed = ireceive(1, 7, other);
  engine.wait(doomed);
  expect_left(doomed);
  expect_undisturbed(anything);
  EXPECT_TRUE(directory.found.empty());
  device.deliver(3, header(3, 7), data);
  expect_received(anything);
  engine.release(doomed);
}

TEST_F(PeerThatLeft, NeedNotHaveEndedYet) {
  device.only_lost = -1;
  Request& doomed = ireceive(1, 7, target);
  engine.wait(doomed);
  expect_left(doomed);
  engine.release(doomed);
}

TEST_F(PeerThatLeft, LetsAReceiveBeCancelledThatWaitedForIt) {
  Request& request = ireceive(1, 7, target);
  engine.wait(request);
  engine.cancel(request);
  EXPECT_TRUE(request.status.cancelled);
  EXPECT_EQ(request.status.error, ErrorClass::success);
  EXPECT_EQ(request.failure, nullptr);
  engine.release(request);
}

TEST_F(PeerThatLeft, HasNotMatchedASendThatWasCancelledMeanwhile) {
  Request& request = engine.isend(1, header(0, 7), buffer(data), Mode::synchronous);
  engine.cancel(request);
  engine.wait(request);
  EXPECT_TRUE(request.status.cancelled);
  EXPECT_EQ(request.failure, nullptr);
  engine.release(request);
}

TEST_F(PeerThatLeft, ASendThatNoCallWaitsForIsTold) {
  Request& known = engine.isend(1, header(0, 7), buffer(data), Mode::synchronous);
  engine.wait(known);
  expect_left(known);
  engine.release(known);
  EXPECT_TRUE(directory.found.empty());
  engine.release(engine.isend(1, header(0, 7), buffer(data), Mode::synchronous));
  engine.drain();
  EXPECT_EQ(directory.found, std::vector{1});
  EXPECT_NE(directory.reason.find("not received"), std::string::npos) << directory.reason;
}

TEST_F(PeerThatLeft, ASendThatEndsWithTheProgramIsTold) {
  Request& request = engine.isend(1, header(0, 7), buffer(data), Mode::synchronous);
  engine.drain({}, true);
  EXPECT_EQ(directory.found, std::vector{1});
  engine.release(request);
}

}  // namespace
}  // namespace bowline::proto
