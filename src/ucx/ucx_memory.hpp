// SPDX-License-Identifier: BSD-3-Clause
// UcxMemory: memory of a peer that UCX accesses by its key.
#pragma once

#include <span>

#include "transport/transport.hpp"
#include "ucx/library.hpp"
#include "ucx/pending_operation.hpp"

namespace bowline::ucx {

class UcxEndpoint;

class UcxMemory final : public transport::PeerMemory {
 public:
  /// `key`: unpacked at this endpoint; the object owns it from now on.
  UcxMemory(UcxEndpoint& endpoint, ucp_rkey_h key) noexcept : endpoint_(endpoint), key_(key) {}
  ~UcxMemory() override;
  UcxMemory(const UcxMemory&) = delete;
  UcxMemory& operator=(const UcxMemory&) = delete;

  transport::Access get(std::uint64_t address, std::span<std::byte> target, transport::Operation& operation) override;
  transport::Access put(std::span<const std::byte> source, std::uint64_t address,
                        transport::Operation& operation) override;
  transport::Access atomic(const transport::RemoteAtomic& what, std::uint64_t address, void* old,
                           transport::Operation& operation) override;

 private:
  UcxEndpoint& endpoint_;
  ucp_rkey_h key_;
};

}  // namespace bowline::ucx
