// SPDX-License-Identifier: BSD-3-Clause
// Four processes that reach each other over a network, with the same ranks in the communicator and in the world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "proto/liveness/process_directory.hpp"

namespace bowline::proto {

class Everybody : public ProcessDirectory {
 public:
  Everybody() {  // what is noted later needs no memory
    found.reserve(4);
    reason.reserve(1000);
  }
  virtual ~Everybody() = default;
  int process(std::uint32_t, int source) override { return source; }
  int source(std::uint32_t, int rank) override { return rank; }
  std::string communicator(std::uint32_t) override { return "a communicator"; }
  int senders(std::uint32_t) override { return 4; }
  void seek(int) override {}
  bool approachable(int) override { return false; }
  bool has_left(int) override { return false; }
  void lost(int rank, const Error& why) noexcept override {
    found.push_back(rank);
    reason = why.what();
  }
  int unacknowledged(std::uint32_t) override { return acknowledged < found.size() ? found[acknowledged] : -1; }
  std::size_t acknowledged = 0;  ///< how many of the lost ones
  std::vector<int> found;        ///< the lost ones, in the order in which they were lost
  std::string reason;            ///< of the latest loss
};

}  // namespace bowline::proto
