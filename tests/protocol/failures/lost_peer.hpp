// SPDX-License-Identifier: BSD-3-Clause
// The fixture of tests about a peer that has ended: rank 1 takes no messages, and all that ask are told that it is
// lost.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"
#include "recording.hpp"

namespace bowline::proto {

class LostPeer : public ProtocolTest {
 protected:
  LostPeer() {
    device.refuse = [](int rank) { return rank == 1; };
    device.lost = true;
  }
  static void expect_lost(const Request& request) { expect_failed(request, ErrorClass::proc_failed); }
  /// The request has failed because rank 1 has ended properly.
  static void expect_left(const Request& request) { expect_failed(request, ErrorClass::proc_aborted); }
  static void expect_failed(const Request& request, ErrorClass error_class) {
    ASSERT_TRUE(request.done);
    EXPECT_EQ(request.status.error, error_class);
    ASSERT_NE(request.failure, nullptr);
    EXPECT_NE(std::string(request.failure->what()).find("rank 1"), std::string::npos) << request.failure->what();
  }
  Bytes data = pattern(100);
};

}  // namespace bowline::proto
