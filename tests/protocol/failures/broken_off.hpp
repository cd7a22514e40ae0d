// SPDX-License-Identifier: BSD-3-Clause
// The fixture of tests about connections that this process breaks off: rank 1's, while rank 2 is well.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "everybody.hpp"
#include "recording.hpp"

namespace bowline::proto {

class BrokenOff : public ProtocolTest {
 protected:
  BrokenOff() { engine.liveness().use(&directory); }

  std::ptrdiff_t sent(Kind kind, int to = 1) const {
    return std::ranges::count_if(device.sent,
                                 [=](const Message& message) { return message.kind() == kind && message.rank == to; });
  }
  /// The request has failed, because of rank 1 and for this reason.
  static void expect_failed(const Request& request, ErrorClass error_class, const std::string& reason) {
    ASSERT_TRUE(request.done);
    EXPECT_EQ(request.status.error, error_class);
    ASSERT_NE(request.failure, nullptr);
    const std::string text = request.failure->what();
    EXPECT_NE(text.find("rank 1"), std::string::npos) << text;
    EXPECT_NE(text.find(reason), std::string::npos) << text;
  }
  /// The receive waits for others than rank 1, and the calls that wait for it return an error for this reason.
  void expect_pending(const Request& request, const std::string& reason) {
    EXPECT_FALSE(request.done);
    EXPECT_FALSE(engine.wait_unless_pending(request));
    const Error error = engine.liveness().pending_error(context, ErrorClass::proc_failed_pending);
    EXPECT_NE(std::string(error.what()).find("rank 1"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(reason), std::string::npos) << error.what();
  }
  /// Messages from and to rank 2 go on as ever.
  void expect_others_served() {
    Bytes there = pattern(10, 1), back(10);
    engine.send(2, header(0, 99), buffer(there));
    EXPECT_EQ(latest(Kind::eager).rank, 2);
    device.deliver(2, header(2, 99), pattern(10, 2));
    EXPECT_EQ(engine.receive({context, 2, 99}, buffer(back)).bytes, 10U);
    EXPECT_EQ(back, pattern(10, 2));
  }
  /// Waiting calls look after those that they wait for now and then.
  void check_liveness() {
    for (int i = 0; i < 10'000; ++i) engine.liveness().rested(false);
  }

  Everybody directory;
  Bytes data = pattern(100);
  Bytes large = pattern(100'000);
  Bytes target = Bytes(100);
};

}  // namespace bowline::proto
