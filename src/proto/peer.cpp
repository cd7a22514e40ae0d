// SPDX-License-Identifier: BSD-3-Clause
#include "proto/peer.hpp"

#include <string>
#include <utility>

namespace bowline::proto {
namespace {

/// The endpoint of a peer that cannot be reached.
class NoEndpoint final : public transport::Endpoint {
 public:
  explicit NoEndpoint(bool left) noexcept : Endpoint({.max_body = sizeof(SendId)}), left_(left) {}
  transport::Post send(transport::Header, std::span<const std::byte>, std::span<const std::byte>) noexcept override {
    return transport::Post::retry;
  }
  bool lost() noexcept override { return true; }
  bool left() noexcept override { return left_; }
  std::string loss() const override { return left_ ? "has ended" : ""; }

 private:
  bool left_;
};

}  // namespace

HeldContext* Peer::held(std::uint32_t context) noexcept {
  for (const auto& hold : holds) {
    if (hold->context == context) return hold.get();
  }
  return nullptr;
}

PeerTable::PeerTable(int size, Connect connect) : size_(0), connect_(std::move(connect)) {
  grow_to(size);
}

void PeerTable::grow_to(int size) {
  blocks_.resize((static_cast<std::size_t>(size) + block_size - 1) / block_size);
  size_ = size;
}

std::unique_ptr<Peer>& PeerTable::place_of(int rank) {
  auto& block = blocks_[static_cast<std::size_t>(rank) / block_size];
  if (block == nullptr) block = std::make_unique<Block>();
  return (*block)[static_cast<std::size_t>(rank) % block_size];
}

Peer& PeerTable::first_contact(int rank) {
  auto& place = place_of(rank);
  place = connect_(rank);
  return *place;
}

Peer& PeerTable::enter_unreachable(int rank, bool left) {
  auto& place = place_of(rank);
  place = std::make_unique<Peer>(rank, std::make_unique<NoEndpoint>(left));
  return *place;
}

}  // namespace bowline::proto
