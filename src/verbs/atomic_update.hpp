// SPDX-License-Identifier: BSD-3-Clause
// AtomicUpdate: an atomic operation on a number of eight bytes in a peer's memory.
//
// Adapters add, and compare and swap. All else is a loop: compare and swap until nothing has come between.
#pragma once

#include <cstdint>

#include "transport/transport.hpp"
#include "verbs/connection/connection.hpp"
#include "verbs/memory_transfer.hpp"

namespace bowline::verbs {

class VerbsDevice;

class AtomicUpdate final : public Waiting, private transport::Operation {
 public:
  /// `what.bytes` is 8. `old`: see transport::PeerMemory::atomic().
  AtomicUpdate(VerbsDevice& device, Connection& connection, const transport::RemoteAtomic& what, RemotePlace place,
               void* old, transport::Operation& operation) noexcept
      : device_(device), connection_(connection), what_(what), place_(place), old_(old), operation_(operation) {}
  AtomicUpdate(const AtomicUpdate&) = delete;
  AtomicUpdate& operator=(const AtomicUpdate&) = delete;

  /// A compare-and-swap loop stays the first waiting access until it has succeeded, so operations on one number are
  /// executed in order.
  Advance advance() noexcept override;
  void fail(const Error& why) noexcept override { finish(&why); }

 private:
  bool loops() const noexcept;
  void ended(const Error* failure) noexcept override;
  void finish(const Error* failure) noexcept;

  VerbsDevice& device_;
  Connection& connection_;
  transport::RemoteAtomic what_;
  RemotePlace place_;
  void* old_;
  transport::Operation& operation_;
  std::uint64_t expected_ = 0;  ///< by the request under way of a loop
  std::uint64_t found_ = 0;
  bool under_way_ = false;
};

}  // namespace bowline::verbs
