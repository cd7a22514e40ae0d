// SPDX-License-Identifier: BSD-3-Clause
#include "proto/peer.hpp"

#include <utility>

namespace bowline::proto {

HeldContext* Peer::held(std::uint32_t context) noexcept {
  for (const auto& hold : holds) {
    if (hold->context == context) return hold.get();
  }
  return nullptr;
}

PeerTable::PeerTable(int size, Connect connect)
    : connect_(std::move(connect)), blocks_((static_cast<std::size_t>(size) + block_size - 1) / block_size) {}

Peer& PeerTable::first_contact(int rank) {
  auto& block = blocks_[static_cast<std::size_t>(rank) / block_size];
  if (block == nullptr) block = std::make_unique<Block>();
  auto& slot = (*block)[static_cast<std::size_t>(rank) % block_size];
  slot = connect_(rank);
  return *slot;
}

}  // namespace bowline::proto
