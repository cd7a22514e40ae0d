// SPDX-License-Identifier: BSD-3-Clause
// Endpoint of the shared-memory transport: this process's ring in a local peer's inbox.
#pragma once

#include <sys/types.h>

#include "node/segment.hpp"
#include "shm/inbox.hpp"
#include "shm/ring.hpp"
#include "transport/transport.hpp"

namespace bowline::shm {

class ShmEndpoint final : public transport::Endpoint {
 public:
  /// Opens the inbox at `address` and connects as local rank `my_local_rank`. `peer` is the owner's world rank, for
  /// messages. Throws Error if the inbox cannot be opened or there is no memory for the ring.
  ShmEndpoint(const InboxAddress& address, std::size_t my_local_rank, int peer);

  transport::Post send(const transport::Header& header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) noexcept override;
  bool get(std::uintptr_t address, std::span<std::byte> target) override;

 private:
  struct Opened {
    node::Mapping header;
    node::Mapping ring;
    std::size_t lines;
  };
  ShmEndpoint(Opened opened, const InboxAddress& address, int peer);
  static Opened open(const InboxAddress& address, std::size_t my_local_rank, int peer);

  InboxHeader& inbox() const noexcept { return *reinterpret_cast<InboxHeader*>(header_.data()); }

  RingProducer ring_;
  node::Mapping header_;
  node::Mapping memory_;
  pid_t process_;
  int peer_;
  bool readable_ = true;  ///< whether cross-memory attach has not been refused
};

}  // namespace bowline::shm
