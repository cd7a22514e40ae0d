// SPDX-License-Identifier: BSD-3-Clause
#include "support/network.hpp"

#include <cstring>
#include <utility>

namespace bowline::test {
namespace {

using transport::Header;
using transport::Post;

using Inbox = std::vector<std::deque<Parcel>>;

class MemoryEndpoint final : public transport::Endpoint {
 public:
  MemoryEndpoint(std::deque<Parcel>& queue, std::size_t capacity, bool readable)
      : Endpoint({.max_body = 32 << 10, .max_prefix = 64}), queue_(queue), capacity_(capacity), readable_(readable) {}

  Post send(const Header& header, std::span<const std::byte> prefix,
            std::span<const std::byte> body) noexcept override {
    if (queue_.size() >= capacity_) return Post::retry;
    queue_.push_back({header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
    return Post::done;
  }
  bool get(std::uintptr_t address, std::span<std::byte> target) override {
    if (readable_) std::memcpy(target.data(), reinterpret_cast<const void*>(address), target.size());
    return readable_;
  }

 private:
  std::deque<Parcel>& queue_;
  std::size_t capacity_;
  bool readable_;
};

class MemoryDevice final : public transport::Device {
 public:
  MemoryDevice(int rank, std::vector<Inbox>& inboxes, std::size_t capacity, bool readable)
      : rank_(rank), inboxes_(inboxes), capacity_(capacity), readable_(readable) {}

  std::string_view name() const override { return "memory"; }
  transport::Address address() const override { return {}; }
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address&) override {
    auto& queue = inboxes_[static_cast<std::size_t>(peer)][static_cast<std::size_t>(rank_)];
    return std::make_unique<MemoryEndpoint>(queue, capacity_, readable_);
  }
  unsigned poll(transport::Sink& sink) override {
    unsigned delivered = 0;
    Inbox& mine = inboxes_[static_cast<std::size_t>(rank_)];
    for (std::size_t sender = 0; sender < mine.size(); ++sender) {
      for (std::size_t waiting = mine[sender].size(); waiting > 0; --waiting, ++delivered) {
        const Parcel parcel = std::move(mine[sender].front());
        mine[sender].pop_front();
        sink.arrived(static_cast<int>(sender), parcel.header, parcel.prefix, parcel.body);
      }
    }
    return delivered;
  }
  bool can_sleep() const override { return false; }
  void sleep(int) override {}

 private:
  int rank_;
  std::vector<Inbox>& inboxes_;
  std::size_t capacity_;
  bool readable_;
};

class FaultyEndpoint final : public transport::Endpoint {
 public:
  FaultyEndpoint(FaultyDevice& device, std::unique_ptr<transport::Endpoint> inner)
      : Endpoint(inner->limits()), device_(device), inner_(std::move(inner)) {}

  Post send(const Header& header, std::span<const std::byte> prefix,
            std::span<const std::byte> body) noexcept override {
    return device_.chance(40) ? Post::retry : inner_->send(header, prefix, body);
  }
  bool get(std::uintptr_t address, std::span<std::byte> target) override { return inner_->get(address, target); }

 private:
  FaultyDevice& device_;
  std::unique_ptr<transport::Endpoint> inner_;
};

}  // namespace

MemoryNetwork::MemoryNetwork(int ranks, std::size_t capacity, bool readable)
    : inboxes_(static_cast<std::size_t>(ranks), Inbox(static_cast<std::size_t>(ranks))) {
  for (int rank = 0; rank < ranks; ++rank) {
    devices_.push_back(std::make_unique<MemoryDevice>(rank, inboxes_, capacity, readable));
  }
}

std::unique_ptr<transport::Endpoint> FaultyDevice::connect(int peer, const transport::Address& address) {
  return std::make_unique<FaultyEndpoint>(*this, inner_.connect(peer, address));
}

unsigned FaultyDevice::poll(transport::Sink& sink) {
  struct Catcher final : transport::Sink {
    explicit Catcher(std::map<int, std::deque<Parcel>>& held_) : held(held_) {}
    void arrived(int peer, const Header& header, std::span<const std::byte> prefix,
                 std::span<const std::byte> body) override {
      held[peer].push_back({header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
    }
    std::map<int, std::deque<Parcel>>& held;
  };
  if (chance(30)) return 0;
  Catcher catcher(held_);
  inner_.poll(catcher);
  unsigned delivered = 0;
  for (auto& [peer, waiting] : held_) {
    while (!waiting.empty() && chance(60)) {
      const Parcel parcel = std::move(waiting.front());
      waiting.pop_front();
      sink.arrived(peer, parcel.header, parcel.prefix, parcel.body);
      ++delivered;
    }
  }
  return delivered;
}

}  // namespace bowline::test
