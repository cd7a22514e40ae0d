// SPDX-License-Identifier: BSD-3-Clause
// FaultyDevice: a decorator that makes the life of any transport's users hard, at random, within what the contract of
// transports allows. For tests: of the protocols on networks in memory, and of whole jobs (the tunable inject_faults).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::transport {

/// Refuses sends, which are then tried again, and accesses to memory, which then go another way; holds arrived messages
/// back, some peers' for long; lets those of one peer overtake those of others (never its own); and answers polls with
/// nothing. Time is counted in polls, so the same calls meet the same faults.
///
/// What it holds back wakes nobody, so it is ready until all is delivered: a process does not sleep over it. A peer
/// counts as lost when what it has sent before has been delivered.
class FaultyDevice final : public Device {
 public:
  /// `inner` must outlive this device and its endpoints.
  FaultyDevice(Device& inner, std::uint32_t seed) : inner_(inner), random_(seed) {}

  std::string_view name() const override { return inner_.name(); }
  Address address() const override { return inner_.address(); }
  std::unique_ptr<Endpoint> connect(int peer, const Address& address) override;
  unsigned poll(Sink& sink) noexcept override;
  bool ready() noexcept override { return !held_.empty() || inner_.ready(); }
  bool drained() noexcept override { return inner_.drained(); }
  unsigned lost_peers() const noexcept override { return inner_.lost_peers(); }
  int descriptor() const noexcept override { return inner_.descriptor(); }
  Sleeper* sleeper() noexcept override { return inner_.sleeper(); }

 private:
  friend class FaultyEndpoint;

  struct Message {
    Header header;
    std::vector<std::byte> prefix;
    std::vector<std::byte> body;
  };
  /// What a peer has sent and the sink has not seen.
  struct Stream {
    std::deque<Message> messages;  ///< at least one
    std::uint64_t silent_until;    ///< by the count of polls
  };

  /// True with the given probability in percent.
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  void hold(int peer, Header header, std::span<const std::byte> prefix, std::span<const std::byte> body);
  bool deliver_one(Sink& sink);

  Device& inner_;
  std::mt19937 random_;
  std::uint64_t polls_ = 0;
  std::map<int, Stream> held_;  ///< by peer
};

}  // namespace bowline::transport
