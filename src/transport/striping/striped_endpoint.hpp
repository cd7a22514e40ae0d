// SPDX-License-Identifier: BSD-3-Clause
// StripedEndpoint: the way to a peer that several rails join with this process. Long transfers go over all rails that
// are connected; everything else goes over the first.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "transport/striping/rail_keys.hpp"
#include "transport/striping/striped_peer.hpp"
#include "transport/striping/striped_transfer.hpp"
#include "transport/transport.hpp"

namespace bowline::transport {

class StripedEndpoint final : public Endpoint {
 public:
  /// `state` and `peer` must outlive the endpoint.
  StripedEndpoint(StripingState& state, StripedPeer& peer) noexcept
      : Endpoint(peer.first().limits()), state_(state), peer_(peer), first_(peer.first()) {}

  std::vector<std::byte> register_memory(std::span<const std::byte> memory) override;
  void deregister(std::span<const std::byte> key) noexcept override;
  void abandon(const std::string& why) noexcept override;
  Access get(const Remote& source, std::span<std::byte> target, Operation& operation) override {
    return transfer(Direction::get, target, source, operation);
  }
  Access put(std::span<const std::byte> source, const Remote& target, Operation& operation) override {
    return transfer(Direction::put, {const_cast<std::byte*>(source.data()), source.size()}, target, operation);
  }

  // The rest is the first rail's.

  Post send(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept override {
    return first_.send(header, prefix, body);
  }
  Post send_or_keep(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body,
                    Operation* sent) noexcept override {
    return first_.send_or_keep(header, prefix, body, sent);
  }
  std::size_t send_long(Header header, std::span<const std::byte> prefix,
                        std::span<const std::byte> body) noexcept override {
    return first_.send_long(header, prefix, body);
  }
  bool takes_long() noexcept override { return first_.takes_long(); }
  Post post(Header header, std::span<const std::byte> prefix, std::span<const iovec> runs,
            Operation& operation) noexcept override {
    return first_.post(header, prefix, runs, operation);
  }
  unsigned readers() const noexcept override { return first_.readers(); }
  Nearness nearness() noexcept override { return first_.nearness(); }
  std::vector<std::byte> register_window(std::span<const std::byte> memory) override {
    return first_.register_window(memory);
  }
  std::unique_ptr<PeerMemory> open_memory(std::span<const std::byte> key) override { return first_.open_memory(key); }
  Access flush(Operation& operation) override { return first_.flush(operation); }
  bool connected() noexcept override { return first_.connected(); }
  void wake() noexcept override { first_.wake(); }
  bool lost() noexcept override { return first_.lost(); }
  bool left() noexcept override { return first_.left(); }
  bool exits() noexcept override { return first_.exits(); }
  bool ends() noexcept override { return first_.ends(); }
  bool shows_end() const noexcept override { return first_.shows_end(); }
  std::string loss() const override { return first_.loss(); }

 private:
  Access transfer(Direction direction, std::span<std::byte> local, const Remote& remote, Operation& operation);

  StripingState& state_;
  StripedPeer& peer_;
  Endpoint& first_;
};

}  // namespace bowline::transport
