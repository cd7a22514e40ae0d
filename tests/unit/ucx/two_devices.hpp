// SPDX-License-Identifier: BSD-3-Clause
// Two UCX devices of one process over TCP on loopback, and what hears of their messages.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "support/setting.hpp"
#include "support/ucx_on_loopback.hpp"
#include "ucx/ucx_context.hpp"
#include "ucx/ucx_device.hpp"
#include "ucx/ucx_endpoint.hpp"

namespace bowline::ucx {

using transport::Access;
using transport::Header;
using transport::Post;
using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

inline constexpr std::chrono::seconds patience{20};

inline Bytes pattern(std::size_t bytes, unsigned seed) {
  Bytes data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 31 + i / 256 + seed);
  return data;
}

/// A body that has no holes.
inline std::array<iovec, 1> one_run(std::span<const std::byte> bytes) {
  return {{{const_cast<std::byte*>(bytes.data()), bytes.size()}}};
}

struct Arrival {
  int peer;
  Header header;
  Bytes prefix;
  Bytes body;
};

class Collector final : public transport::Sink {
 public:
  void arrived(int peer, Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) override {
    if (refusals > 0) {
      --refusals;
      throw transport::NotYet(ErrorClass::other, "not now");
    }
    arrivals.push_back({peer, header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
  }
  void broken(int peer, const Failure& why) noexcept override {
    if (!may_break) ADD_FAILURE() << peer << ": " << why->what();
    broken_off.emplace_back(peer, why->what());
  }
  int refusals = 0;
  bool may_break = false;
  std::vector<std::pair<int, std::string>> broken_off;
  std::vector<Arrival> arrivals;
};

class Ends final : public transport::Operation {
 public:
  void ended(const Error* failure) noexcept override {
    ++count;
    if (failure != nullptr) failures.push_back(failure->what());
  }
  int count = 0;
  std::vector<std::string> failures;
};

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
