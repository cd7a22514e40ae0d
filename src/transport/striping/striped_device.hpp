// SPDX-License-Identifier: BSD-3-Clause
// StripedDevice: several devices of one kind as one. Messages, windows and everything short go over the first of these
// rails. Long transfers of memory go over all that join this process with the peer: rail i with the peer's rail i.
//
// A further rail is connected to a peer at the first long transfer with it, and serves the transfers that begin
// afterwards. A further rail that fails is not used for that peer any more, and the parts that it carried are repeated
// over the first rail; so the state of a peer, and its loss, are those of the first rail.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "transport/striping/rail.hpp"
#include "transport/striping/striped_peer.hpp"
#include "transport/striping/striped_transfer.hpp"
#include "transport/transport.hpp"

namespace bowline::transport {

class StripedDevice final : public Device {
 public:
  /// `rails`: 2 to `most_rails` devices without sleepers, whose addresses are made by publish(). Transfers of the
  /// further rails must be such that those under way have no effect after they have failed. Throws Error.
  StripedDevice(std::vector<std::unique_ptr<Device>> rails, const StripingLimits& limits);
  ~StripedDevice() override;
  StripedDevice(const StripedDevice&) = delete;
  StripedDevice& operator=(const StripedDevice&) = delete;

  std::string_view name() const override { return first_.name(); }
  /// The addresses of all rails, one behind the other. A process with a single rail reads the first one.
  Address address() const override;
  bool reaches(std::span<const std::byte> address) const override { return first_.reaches(address); }
  std::unique_ptr<Endpoint> connect(int peer, const Address& address) override;
  unsigned poll(Sink& sink) noexcept override;
  void grow_to(int processes) override;
  void known_as(int peer, int self) noexcept override;
  bool ready() noexcept override;
  bool drained() noexcept override;
  std::optional<Traffic> traffic() noexcept override;
  unsigned lost_peers() const noexcept override { return first_.lost_peers(); }
  int descriptor() const noexcept override { return events_; }

 private:
  /// Nobody sends messages over further rails.
  class Silence final : public Sink {
   public:
    void arrived(int peer, Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) override;
    void broken(int peer, const Failure& why) noexcept override;
  };

  bool add_further(StripedPeer& peer, std::span<const std::byte> addresses) const;

  StripingState state_;
  std::vector<std::unique_ptr<Device>> rails_;
  Device& first_;
  int events_;  ///< an epoll descriptor over the descriptors of all rails
  std::unordered_map<int, std::unique_ptr<StripedPeer>> peers_;
  Silence silence_;
  unsigned polls_ = 0;      ///< since the further rails were polled
  bool attentive_ = false;  ///< the next poll polls all rails
};

}  // namespace bowline::transport
