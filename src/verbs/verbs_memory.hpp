// SPDX-License-Identifier: BSD-3-Clause
// VerbsMemory: memory of a peer that was opened for many accesses.
#pragma once

#include "transport/transport.hpp"
#include "verbs/verbs_endpoint.hpp"

namespace bowline::verbs {

class VerbsMemory final : public transport::PeerMemory {
 public:
  VerbsMemory(VerbsEndpoint& endpoint, std::uint32_t key) noexcept : endpoint_(endpoint), key_(key) {}

  transport::Access get(std::uint64_t address, std::span<std::byte> target, transport::Operation& operation) override {
    return endpoint_.begin(MemoryTransfer::Purpose::get, target, {address, key_}, operation);
  }
  transport::Access put(std::span<const std::byte> source, std::uint64_t address,
                        transport::Operation& operation) override;
  transport::Access atomic(const transport::RemoteAtomic& what, std::uint64_t address, void* old,
                           transport::Operation& operation) override;

 private:
  VerbsEndpoint& endpoint_;
  std::uint32_t key_;
};

}  // namespace bowline::verbs
