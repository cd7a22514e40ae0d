// SPDX-License-Identifier: BSD-3-Clause
// Two UCX devices of one process over TCP on loopback, and what hears of their messages.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <memory>

#include "base/error.hpp"
#include "support/heard.hpp"
#include "support/setting.hpp"
#include "support/ucx_on_loopback.hpp"
#include "ucx/ucx_context.hpp"
#include "ucx/ucx_device.hpp"
#include "ucx/ucx_endpoint.hpp"

namespace bowline::ucx {

using transport::Access;
using transport::Header;
using transport::Post;
using Bytes = test::Bytes;
using Clock = std::chrono::steady_clock;
using test::Arrival;
using test::Collector;
using test::Ends;
using test::one_run;
using test::pattern;

inline constexpr std::chrono::seconds patience{20};

class Ucx : public testing::Test {
 protected:
  static std::unique_ptr<transport::Endpoint> connect(UcxDevice& from, int to, const UcxDevice& peer) {
    return from.connect(to, peer.address());
  }
  /// Polls both devices until the condition holds.
  template <class Condition>
  void until(Condition condition) {
    const auto deadline = Clock::now() + patience;
    while (!condition()) {
      first.poll(at_first);
      second.poll(at_second);
      ASSERT_LT(Clock::now(), deadline) << "nothing comes any more";
    }
  }

  test::Setting reads_memory{"ucx_remote_memory", "get"};
  Context context{2, transport::Reach::everywhere};
  UcxDevice first{context, 3, 9, "here"};
  UcxDevice second{context, 8, 9, "there"};
  std::unique_ptr<transport::Endpoint> to_second = connect(first, 8, second);
  Collector at_first;
  Collector at_second;
};

}  // namespace bowline::ucx
