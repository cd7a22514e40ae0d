// SPDX-License-Identifier: BSD-3-Clause
// StripedTransfer: a long access to a peer's memory, of which each rail carries a part. A part that fails on a further
// rail is repeated over the first one: reads and writes of memory may be executed twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/failure.hpp"
#include "base/pool.hpp"
#include "transport/striping/rail.hpp"
#include "transport/striping/striped_peer.hpp"
#include "transport/transport.hpp"

namespace bowline::transport {

enum class Direction : std::uint8_t { get, put };

/// Begins an access over one endpoint.
inline Access access(Endpoint& endpoint, Direction direction, std::span<std::byte> local, const Remote& remote,
                     Operation& operation) {
  return direction == Direction::get ? endpoint.get(remote, local, operation) : endpoint.put(local, remote, operation);
}

/// A rail that takes part in a transfer, with its key to the peer's memory.
struct RailPath {
  std::size_t rail = 0;
  Endpoint* endpoint = nullptr;
  std::span<const std::byte> key;
};

class StripedTransfer;

/// What all transfers of a device share.
struct StripingState {
  explicit StripingState(const StripingLimits& limits_) noexcept : limits(limits_) {}
  StripingLimits limits;
  Pool<StripedTransfer> transfers;
  std::array<unsigned, most_rails> under_way{};  ///< parts, by rail
  unsigned under_way_on_further = 0;             ///< parts on all rails but the first
};

class StripedTransfer {
 public:
  /// Begins a transfer of `local`, at least one byte, from or to `address` in the peer, over the first rail and others:
  /// paths[0] is the path of the first rail. The result is the result of the first rail's part. Throws what that part
  /// throws.
  static Access begin(StripingState& state, StripedPeer& peer, Direction direction, std::span<std::byte> local,
                      std::uintptr_t address, std::span<const RailPath> paths, Operation& operation);

  // For the pool.
  StripedTransfer(StripingState& state, StripedPeer& peer, Direction direction, std::span<const std::byte> first_key,
                  Operation& operation) noexcept;
  StripedTransfer(const StripedTransfer&) = delete;
  StripedTransfer& operator=(const StripedTransfer&) = delete;

 private:
  /// The part of a transfer that one rail carries.
  struct Part final : Operation {
    void ended(const Error* failure) noexcept override;
    StripedTransfer* whole = nullptr;
    std::size_t rail = 0;
    std::span<std::byte> local;
    std::uintptr_t address = 0;
  };

  Access start(Part& part, const RailPath& path);
  void start_further(Part& part, const RailPath& path) noexcept;
  void repeat(Part& part) noexcept;
  void part_ended(Part& part, const Error* failure) noexcept;
  void settle() noexcept;

  StripingState& state_;
  StripedPeer& peer_;
  Direction direction_;
  Operation& operation_;
  unsigned under_way_ = 0;
  bool begun_ = false;  ///< begin() has returned, or is about to
  Failure failure_;
  std::size_t key_bytes_;
  std::array<std::byte, longest_rail_key> first_key_;  ///< a copy, because the caller's key does not last as long
  std::array<Part, most_rails> parts_;
};

}  // namespace bowline::transport
