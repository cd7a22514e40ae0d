// SPDX-License-Identifier: BSD-3-Clause
// VerbsEndpoint: the way to one peer, as the protocols see it.
#pragma once

#include <string>

#include "transport/transport.hpp"
#include "verbs/connection/connection.hpp"
#include "verbs/memory_transfer.hpp"

namespace bowline::verbs {

class VerbsDevice;

class VerbsEndpoint final : public transport::Endpoint {
 public:
  VerbsEndpoint(VerbsDevice& device, Connection& connection) noexcept;

  transport::Post send(transport::Header header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) noexcept override {
    return connection_.outbox().send(header, prefix, body);
  }
  std::vector<std::byte> register_memory(std::span<const std::byte> memory) override;
  void deregister(std::span<const std::byte> key) noexcept override;
  transport::Access get(const transport::Remote& source, std::span<std::byte> target,
                        transport::Operation& operation) override;
  transport::Access put(std::span<const std::byte> source, const transport::Remote& target,
                        transport::Operation& operation) override;
  std::vector<std::byte> register_window(std::span<const std::byte> memory) override;
  std::unique_ptr<transport::PeerMemory> open_memory(std::span<const std::byte> key) override;
  transport::Access flush(transport::Operation& operation) override;
  bool connected() noexcept override { return connection_.link().is_ready(); }
  bool lost() noexcept override { return connection_.link().state() == PeerLink::State::lost; }
  void abandon(const std::string& why) noexcept override { connection_.lose(why); }
  bool left() noexcept override { return connection_.link().state() == PeerLink::State::left; }
  std::string loss() const override { return connection_.loss(); }

  // For VerbsMemory.
  /// Begins a transfer between memory of this process and of the peer. Throws Error.
  transport::Access begin(MemoryTransfer::Purpose kind, std::span<std::byte> local, RemotePlace remote,
                          transport::Operation& operation);
  /// Begins an atomic operation. Throws Error.
  transport::Access begin(const transport::RemoteAtomic& what, RemotePlace place, void* old,
                          transport::Operation& operation);

 private:
  RemotePlace place_of(const transport::Remote& remote) const;

  VerbsDevice& device_;
  Connection& connection_;
};

}  // namespace bowline::verbs
