// SPDX-License-Identifier: BSD-3-Clause
// A network in memory between the engines of one process. Tests put a transport::FaultyDevice on top of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::test {

/// A message on its way.
struct Parcel {
  transport::Header header;
  std::vector<std::byte> prefix;
  std::vector<std::byte> body;
};

/// How ranks access each other's memory.
enum class Reach : std::uint8_t {
  nothing,      ///< not at all, although the limits allow reading without a key
  single_copy,  ///< by reading, without a key and at once
  get,          ///< by reading with a key; completes in a later poll
  put,          ///< by writing with a key; completes in a later poll
};

class MemoryNetwork {
 public:
  /// `capacity`: most messages that wait from one rank to another; further sends are refused.
  MemoryNetwork(int ranks, std::size_t capacity, Reach reach);
  MemoryNetwork(const MemoryNetwork&) = delete;
  MemoryNetwork& operator=(const MemoryNetwork&) = delete;

  /// The device of this rank; it lives as long as the network.
  transport::Device& device(int rank) { return *devices_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<std::vector<std::deque<Parcel>>> inboxes_;  ///< by receiver, then by sender
  std::vector<std::unique_ptr<transport::Device>> devices_;
};

}  // namespace bowline::test
