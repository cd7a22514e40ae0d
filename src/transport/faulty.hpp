// SPDX-License-Identifier: BSD-3-Clause
// FaultyDevice: a decorator that adds random faults to any transport, within what the contract of transports allows.
// For tests of the protocols on networks in memory, and of whole jobs (the tunable inject_faults).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::transport {

/// The device refuses sends, which the caller then repeats, and accesses to memory, for which the caller then takes
/// another protocol. The device holds back arrived messages, messages of some peers for long. Messages of one peer may
/// overtake those of others, but never each other. Some polls deliver nothing. The device counts time in polls, so the
/// same calls meet the same faults.
///
/// A held message wakes no sleeper, so ready() is true until all held messages are delivered. A peer counts as lost
/// only when all its earlier messages have been delivered. Held messages count as under way (traffic()).
class FaultyDevice final : public Device {
 public:
  /// `inner` must outlive this device and its endpoints.
  FaultyDevice(Device& inner, std::uint32_t seed) : inner_(inner), random_(seed) {}

  std::string_view name() const override { return inner_.name(); }
  Address address() const override { return inner_.address(); }
  bool reaches(std::span<const std::byte> address) const override { return inner_.reaches(address); }
  std::unique_ptr<Endpoint> connect(int peer, const Address& address) override;
  unsigned poll(Sink& sink) noexcept override;
  void grow_to(int processes) override { inner_.grow_to(processes); }
  void known_as(int peer, int self) noexcept override { inner_.known_as(peer, self); }
  bool ready() noexcept override { return !held_.empty() || inner_.ready(); }
  bool drained() noexcept override { return inner_.drained(); }
  std::optional<Traffic> traffic() noexcept override {
    const std::optional<Traffic> inner = inner_.traffic();
    return Traffic{.sent = sent_, .delivered = delivered_, .accesses = inner && inner->accesses};
  }
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
  /// Messages of one peer that the sink has not received yet.
  struct Stream {
    std::deque<Message> messages;  ///< the peer's messages, at least one
    std::uint64_t silent_until;    ///< delivers nothing before polls_ reaches this number
  };

  /// True with the given probability in percent.
  bool chance(unsigned percent) { return random_() % 100 < percent; }
  void hold(int peer, Header header, std::span<const std::byte> prefix, std::span<const std::byte> body);
  bool deliver_one(Sink& sink);

  Device& inner_;
  std::mt19937 random_;
  std::uint64_t polls_ = 0;
  std::map<int, Stream> held_;  ///< by peer
  std::uint64_t sent_ = 0;
  std::uint64_t delivered_ = 0;
};

}  // namespace bowline::transport
