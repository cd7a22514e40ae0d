// SPDX-License-Identifier: BSD-3-Clause
// AdapterBytes: how much this process has moved over each network adapter, for tools.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/atomic.hpp"

namespace bowline::transport {

/// The count of one device. One thread at a time adds to it; any thread may read the sums.
class AdapterBytes {
 public:
  explicit AdapterBytes(std::string adapter);
  AdapterBytes(const AdapterBytes&) = delete;
  AdapterBytes& operator=(const AdapterBytes&) = delete;
  ~AdapterBytes();

  void sent(std::uint64_t bytes) noexcept { add(sent_, bytes); }
  /// Also what this process has read from the memory of peers.
  void received(std::uint64_t bytes) noexcept { add(received_, bytes); }

  struct Sum {
    std::string adapter;
    std::uint64_t sent = 0, received = 0;
  };
  /// Of all devices of each adapter that this process has opened, also of those that have ended. An adapter keeps its
  /// place in the list.
  static std::vector<Sum> sums();

 private:
  static void add(Atomic<std::uint64_t>& total, std::uint64_t bytes) noexcept {
    total.store(total.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  }

  std::string adapter_;
  Atomic<std::uint64_t> sent_{0}, received_{0};
};

}  // namespace bowline::transport
