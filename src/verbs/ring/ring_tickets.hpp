// SPDX-License-Identifier: BSD-3-Clause
// RingTickets: the registered memory of a lane in which the tickets of its connections stand, and what its adapter
// reads from those of peers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verbs/ring/ring_layout.hpp"
#include "verbs/verbs_adapter.hpp"

namespace bowline::verbs {

class RingTickets {
 public:
  explicit RingTickets(Adapter& adapter) noexcept : adapter_(adapter) {}

  struct Place {
    RingTicket* ticket;  ///< nullptr if no memory can be registered
    std::uint32_t local_key;
    std::uint32_t remote_key;
  };
  /// A ticket that was not used before. It lives as long as this object.
  Place take() noexcept;

 private:
  Adapter& adapter_;
  std::vector<RegisteredBlock> blocks_;
  std::size_t left_ = 0;  ///< tickets of the last block
};

}  // namespace bowline::verbs
