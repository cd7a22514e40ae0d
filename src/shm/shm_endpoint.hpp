// SPDX-License-Identifier: BSD-3-Clause
// Endpoint of the shared-memory transport: this process's ring in a local peer's inbox.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/failure.hpp"
#include "node/handover.hpp"
#include "node/peer_memory.hpp"
#include "node/process.hpp"
#include "node/segment.hpp"
#include "shm/inbox.hpp"
#include "shm/ring.hpp"
#include "transport/transport.hpp"

namespace bowline::shm {

class ShmDevice;

/// What endpoints of this transport can do with rings of `lines` lines, given the tunables.
transport::Limits shm_limits(std::size_t lines) noexcept;

class ShmEndpoint final : public transport::Endpoint {
 public:
  /// Opens the lane's section of the inbox at `address` and connects with the ring of this number. `peer` is the
  /// owner's process index, for messages. Throws Error if the inbox cannot be opened or there is no memory for the
  /// ring. The device has the copy buffers of both sides.
  ShmEndpoint(ShmDevice& device, const InboxAddress& address, unsigned lane, std::size_t own_number, int peer);
  ShmEndpoint(const ShmEndpoint&) = delete;
  ShmEndpoint& operator=(const ShmEndpoint&) = delete;

  transport::Post send(transport::Header header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) noexcept override;
  std::size_t send_long(transport::Header header, std::span<const std::byte> prefix,
                        std::span<const std::byte> body) noexcept override;
  bool takes_long() noexcept override;
  transport::Access get(const transport::Remote& source, std::span<std::byte> target,
                        transport::Operation& operation) override;
  transport::Access put(std::span<const std::byte> source, const transport::Remote& target,
                        transport::Operation& operation) override;
  unsigned readers() const noexcept override { return inbox().readers.load(std::memory_order_relaxed); }
  Nearness nearness() noexcept override;
  void wake() noexcept override;
  bool lost() noexcept override;
  std::string loss() const override;
  bool left() noexcept override { return inbox().end.load(std::memory_order_acquire) >= good_bye; }
  bool exits() noexcept override { return inbox().end.load(std::memory_order_acquire) >= exiting; }
  bool shows_end() const noexcept override { return true; }
  bool ends() noexcept override { return inbox().end.load(std::memory_order_acquire) >= ending; }

 private:
  struct Opened {
    node::Mapping header;   ///< of lane 0
    node::Mapping section;  ///< header of the lane's section, if the lane is not lane 0
    node::Mapping ring;
    std::size_t lines;
    std::size_t copy_buffers;  ///< offset in the inbox
    node::ProcessMark process;
    std::optional<node::PeerProcess> watched;
  };
  ShmEndpoint(ShmDevice& device, const node::Ticket& inbox, Opened opened, std::size_t own_number, int peer);
  static node::Mapping map_ring(const node::Segment& segment, const InboxHeader& inbox, unsigned lane,
                                std::size_t own_number, int peer);
  static Opened open(const InboxAddress& address, unsigned lane, std::size_t own_number, int peer);
  bool refused(ssize_t moved);
  void tell_owner() noexcept;
  bool widen_for(std::size_t prefix, std::size_t body) noexcept;
  bool widen() noexcept;
  void notify_owner() noexcept;
  void ring() noexcept;
  node::Descriptor take_bell() noexcept;

  InboxHeader& inbox() const noexcept { return *reinterpret_cast<InboxHeader*>(header_.data()); }
  InboxHeader& section() const noexcept {
    return section_.size() == 0 ? inbox() : *reinterpret_cast<InboxHeader*>(section_.data());
  }

  RingProducer ring_;
  ShmDevice& device_;
  node::Ticket ticket_;       ///< of the inbox
  std::size_t copy_buffers_;  ///< offset of the peer's copy buffers in the inbox
  bool may_borrow_ = true;    ///< whether the peer's copy buffers could be mapped
  std::size_t lines_;         ///< of the whole ring
  node::Mapping header_;
  node::Mapping section_;
  node::Mapping memory_;
  MemoryLevel::Share counted_;
  std::size_t own_number_;
  node::ProcessMark process_;
  std::optional<node::PeerProcess> watched_;  ///< handle of the peer's process; set when lost() is first called
  int peer_;
  Failure narrow_;      ///< why there was no memory for a wider window
  bool stuck_ = false;  ///< the waiting message can never be sent, because the window cannot be widened enough
  std::optional<node::Descriptor> bell_;  ///< the peer's pipe, once it was needed; no descriptor if it cannot be opened
  bool single_copy_ = true;               ///< whether cross-memory attach has not been refused
};

}  // namespace bowline::shm
