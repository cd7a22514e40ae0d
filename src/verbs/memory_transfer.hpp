// SPDX-License-Identifier: BSD-3-Clause
// MemoryTransfer: an access to a peer's memory, in fragments of which several are under way.
//
// The adapter reads or writes the program's memory, which is registered for the transfer. Short transfers, and
// transfers of memory that cannot be registered, go through slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/failure.hpp"
#include "transport/transport.hpp"
#include "verbs/connection/connection.hpp"

namespace bowline::verbs {

class VerbsDevice;

/// A place in the memory of a peer, with the adapter's key for it.
struct RemotePlace {
  std::uint64_t address;
  std::uint32_t key;
};

class MemoryTransfer final : public Waiting, private transport::Operation {
 public:
  enum class Purpose : std::uint8_t {
    get,
    put,
    flush,  ///< ends after everything before this transfer
  };
  /// `local` stays in use until `operation` is notified. `region`: registered memory that contains it, which the
  /// transfer releases; nullptr: the data go through slots.
  MemoryTransfer(VerbsDevice& device, Connection& connection, Purpose kind, std::span<std::byte> local,
                 RemotePlace remote, Adapter::Region* region, transport::Operation& operation) noexcept
      : device_(device),
        connection_(connection),
        kind_(kind),
        local_(local),
        remote_(remote),
        region_(region),
        operation_(operation) {}
  MemoryTransfer(const MemoryTransfer&) = delete;
  MemoryTransfer& operator=(const MemoryTransfer&) = delete;

  Advance advance() noexcept override;
  void fail(const Error& why) noexcept override;

 private:
  void ended(const Error* failure) noexcept override;
  bool queue_fragment() noexcept;
  bool fill(SendWork& work, std::size_t bytes) noexcept;
  void finish() noexcept;

  VerbsDevice& device_;
  Connection& connection_;
  Purpose kind_;
  std::span<std::byte> local_;  ///< the part that is not posted yet
  RemotePlace remote_;
  Adapter::Region* region_;
  transport::Operation& operation_;
  unsigned under_way_ = 0;  ///< fragments
  bool posted_ = false;     ///< whether the whole access is posted
  Failure failure_;
};

}  // namespace bowline::verbs
