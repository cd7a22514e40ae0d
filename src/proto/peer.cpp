// SPDX-License-Identifier: BSD-3-Clause
#include "proto/peer.hpp"

#include <string>
#include <utility>

#include "proto/protocols/protocol.hpp"

namespace bowline::proto {
namespace {

/// Whether the message needs an answer of the peer. Such a message waits, and is cancelled or fails.
bool needs_answer(transport::Header header) noexcept {
  const auto kind = static_cast<Kind>(header.kind);
  return kind == Kind::eager_synchronous || kind == Kind::ready_to_send;
}

class NoEndpoint final : public transport::Endpoint {
 public:
  NoEndpoint(bool left, std::string loss) noexcept
      : Endpoint({.max_body = sizeof(SendId) + (left ? eager_limit() : 0)}), left_(left), loss_(std::move(loss)) {}
  transport::Post send(transport::Header header, std::span<const std::byte>,
                       std::span<const std::byte>) noexcept override {
    return left_ && !needs_answer(header) ? transport::Post::done : transport::Post::retry;
  }
  bool lost() noexcept override { return true; }
  bool left() noexcept override { return left_; }
  std::string loss() const override { return left_ ? "has ended" : loss_; }

 private:
  bool left_;
  std::string loss_;
};

}  // namespace

std::unique_ptr<transport::Endpoint> make_no_endpoint(bool left, std::string loss) {
  return std::make_unique<NoEndpoint>(left, std::move(loss));
}

PausedContext* Peer::paused(std::uint32_t context) noexcept {
  for (const auto& each : paused_contexts) {
    if (each->context == context) return each.get();
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

void PeerTable::forget(int rank) noexcept {
  auto& block = blocks_[static_cast<std::size_t>(rank) / block_size];
  if (block != nullptr) (*block)[static_cast<std::size_t>(rank) % block_size].reset();
}

Peer& PeerTable::enter_unreachable(int rank, bool left) {
  auto& place = place_of(rank);
  place = std::make_unique<Peer>(rank, make_no_endpoint(left));
  return *place;
}

}  // namespace bowline::proto
