// SPDX-License-Identifier: BSD-3-Clause
// A process with several scripted rails.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "scripted_rails.hpp"
#include "support/heard.hpp"
#include "transport/striping/striped_device.hpp"

namespace bowline::transport {

using test::Bytes;
using test::Collector;
using test::Ends;
using test::pattern;
using test::ScriptedRail;
using Lengths = std::vector<std::size_t>;

/// The shortest transfer that is striped.
inline constexpr std::size_t from = 10'000;

/// A process with several rails. Its peers have the same; memory of theirs is memory of this process.
class Process {
 public:
  explicit Process(std::size_t count) {
    std::vector<std::unique_ptr<Device>> made;
    for (std::size_t i = 0; i < count; ++i) {
      auto one = std::make_unique<ScriptedRail>(static_cast<std::byte>('a' + i));
      rails.push_back(one.get());
      made.push_back(std::move(one));
    }
    device = std::make_unique<StripedDevice>(std::move(made), StripingLimits{.from = from});
    endpoint = device->connect(1, device->address());
  }
  ScriptedRail& rail(std::size_t number) { return *rails[number]; }
  void poll() { device->poll(sink); }
  void poll_all() {
    for (int i = 0; i < 64; ++i) poll();
  }
  /// Gets `bytes` bytes and returns whether they have come.
  bool gets(std::size_t bytes) {
    const Bytes theirs = pattern(bytes, 3);
    Bytes mine(bytes);
    Ends ends;
    const Bytes key = endpoint->register_memory(theirs);
    EXPECT_EQ(endpoint->get({reinterpret_cast<std::uintptr_t>(theirs.data()), key}, mine, ends), Access::begun);
    poll_all();
    EXPECT_EQ(ends.count, 1);
    EXPECT_TRUE(ends.failures.empty());
    endpoint->deregister(key);
    return mine == theirs;
  }
  Lengths carried(std::size_t number) { return std::exchange(rail(number).lengths, {}); }

  std::vector<ScriptedRail*> rails;
  std::unique_ptr<StripedDevice> device;
  std::unique_ptr<Endpoint> endpoint;
  Collector sink;
};

inline Remote remote(const Bytes& memory, const Bytes& key) {
  return {reinterpret_cast<std::uintptr_t>(memory.data()), key};
}

}  // namespace bowline::transport
