// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 has ended, and nothing tells that but a look at it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "lost_peer.hpp"
#include "proto/liveness/process_directory.hpp"
#include "proto/services/address_search.hpp"
#include "support/setting.hpp"

namespace bowline::proto {

/// Rank in the communicator and world rank are the same; there is another communicator, in which ranks 2 and 3 send,
/// and this process does not: as on an intercommunicator.
class Neighbours final : public ProcessDirectory, public AddressBook {
 public:
  static constexpr std::uint32_t without = make_context(2, 0, Purpose::point_to_point);
  int process(std::uint32_t context, int source) override { return context == without ? source + 2 : source; }
  int source(std::uint32_t context, int rank) override { return context == without ? rank - 2 : rank; }
  bool sends_here(std::uint32_t context) override { return context != without; }
  std::string communicator(std::uint32_t) override { return "a communicator"; }
  int senders(std::uint32_t context) override { return context == without ? 2 : 4; }
  void seek(int rank) override { search->seek(rank); }
  int informant(int rank) override { return sought.insert(rank), launcher_is_silent ? 2 : -1; }
  bool approachable(int rank) override {
    return rank != 0 && (found_before || told.contains(rank) || (!launcher_is_silent && sought.contains(rank)));
  }
  bool has_left(int rank) override { return seen_to_have_left.contains(rank); }
  void lost(int rank, const Error& why) noexcept override {
    found.push_back(rank);
    reason = why.what();
  }
  Bytes address(int rank) override { return rank == 1 || told.contains(rank) ? whereabouts : Bytes(); }
  void learned(int rank, std::span<const std::byte> address) override {
    EXPECT_TRUE(std::ranges::equal(address, whereabouts));
    told.insert(rank);
  }
  bool any_cut_off() override { return cut_off >= 0; }
  std::string why_cut_off(int rank) override { return rank == cut_off ? "its node does not answer" : ""; }
  bool is_lost(int rank) override { return rank == told_lost; }
  std::string loss(int rank) override { return rank == told_lost ? "was killed" : ""; }
  AddressSearch* search = nullptr;
  int told_lost = -1;  ///< by the launcher
  int cut_off = -1;
  int unacknowledged(std::uint32_t) override { return acknowledged < found.size() ? found[acknowledged] : -1; }
  std::size_t acknowledged = 0;
  std::vector<int> found;
  std::set<int> sought, told, seen_to_have_left;
  bool found_before = false;
  bool launcher_is_silent = false;
  Bytes whereabouts = pattern(200);
  std::string reason;
};

class SilentPeer : public LostPeer {
 protected:
  SilentPeer() {
    device.refuse = nullptr;
    device.lost = false;
    device.only_lost = 1;
    engine.liveness().use(&directory);
    auto search = std::make_unique<AddressSearch>(engine, directory);
    directory.search = search.get();
    engine.services().add(std::move(search));
  }
  void check_liveness() {
    for (int i = 0; i < 10'000; ++i) engine.liveness().rested(false);
  }
  /// Waits for a message that comes nevertheless.
  void expect_received(Request& request) {
    engine.wait(request);
    EXPECT_EQ(request.status.error, ErrorClass::success);
    engine.release(request);
  }
  /// A request that nobody's end concerns.
  void expect_undisturbed(const Request& request) {
    check_liveness();
    EXPECT_FALSE(request.done);
  }
  Request& ireceive_anything() { return ireceive(any_source, any_tag, target); }
  test::Setting at_once{"watch_after", "0"};
  Neighbours directory;
  Bytes target = Bytes(100);
};

}  // namespace bowline::proto
