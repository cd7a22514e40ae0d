// SPDX-License-Identifier: BSD-3-Clause
#include "support/network.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bowline::test {
namespace {

using transport::Access;
using transport::Header;
using transport::Post;

using Inbox = std::vector<std::deque<Parcel>>;

/// A copy between the memory of two ranks that has begun.
struct Transfer {
  transport::Operation* operation;
  const std::byte* from;
  std::span<std::byte> to;
};

/// A message for whose receiver there was no room.
struct Kept {
  transport::Operation* sent;
  std::deque<Parcel>* queue;
  Parcel parcel;
};

// The key to a rank's memory. An access with a wrong or stale key fails.
struct Key {
  std::uintptr_t address;
  std::size_t bytes;
};

/// Networks with adapters keep messages.
bool keeps(Reach reach) {
  return reach == Reach::get || reach == Reach::put;
}

transport::Limits limits_of(Reach reach) {
  transport::Limits limits{.max_body = 32 << 10, .max_prefix = 64};
  limits.keeps = keeps(reach);
  (reach == Reach::get ? limits.get_from : reach == Reach::put ? limits.put_from : limits.single_copy_from) = 0;
  return limits;
}

void check_key(const transport::Remote& remote, std::size_t bytes) {
  Key key{};
  if (remote.key.size() == sizeof key) std::memcpy(&key, remote.key.data(), sizeof key);
  if (key.address != remote.address || key.bytes < bytes) throw Error(ErrorClass::other, "the key does not fit");
}

class MemoryEndpoint final : public transport::Endpoint {
 public:
  MemoryEndpoint(std::deque<Parcel>& queue, std::size_t capacity, Reach reach, std::deque<Transfer>& transfers,
                 std::deque<Kept>& kept)
      : Endpoint(limits_of(reach)),
        queue_(queue),
        capacity_(capacity),
        reach_(reach),
        transfers_(transfers),
        kept_(kept) {}

  Post send(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept override {
    if (queue_.size() >= capacity_ || !kept_.empty()) return Post::retry;
    queue_.push_back({header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
    return Post::done;
  }
  Post send_or_keep(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body,
                    transport::Operation* sent) noexcept override {
    if (send(header, prefix, body) == Post::done) return Post::done;
    if (!keeps(reach_)) return Post::retry;
    kept_.push_back({sent, &queue_, {header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}}});
    return Post::begun;
  }
  std::vector<std::byte> register_memory(std::span<const std::byte> memory) override {
    const Key key{reinterpret_cast<std::uintptr_t>(memory.data()), memory.size()};
    const auto bytes = std::as_bytes(std::span(&key, 1));
    return {bytes.begin(), bytes.end()};
  }
  Access get(const transport::Remote& source, std::span<std::byte> target, transport::Operation& operation) override {
    const auto* const from = reinterpret_cast<const std::byte*>(source.address);
    if (reach_ == Reach::single_copy) std::memcpy(target.data(), from, target.size());
    if (reach_ != Reach::get) return reach_ == Reach::single_copy ? Access::done : Access::refused;
    check_key(source, target.size());
    transfers_.push_back({&operation, from, target});
    return Access::begun;
  }
  Access put(std::span<const std::byte> source, const transport::Remote& target,
             transport::Operation& operation) override {
    if (reach_ != Reach::put) return Access::refused;
    check_key(target, source.size());
    transfers_.push_back({&operation, source.data(), {reinterpret_cast<std::byte*>(target.address), source.size()}});
    return Access::begun;
  }

 private:
  std::deque<Parcel>& queue_;
  std::size_t capacity_;
  Reach reach_;
  std::deque<Transfer>& transfers_;
  std::deque<Kept>& kept_;
};

class MemoryDevice final : public transport::Device {
 public:
  MemoryDevice(int rank, std::vector<Inbox>& inboxes, std::size_t capacity, Reach reach)
      : rank_(rank), inboxes_(inboxes), capacity_(capacity), reach_(reach) {}

  std::string_view name() const override { return "memory"; }
  transport::Address address() const override { return {}; }
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address&) override {
    auto& queue = inboxes_[static_cast<std::size_t>(peer)][static_cast<std::size_t>(rank_)];
    return std::make_unique<MemoryEndpoint>(queue, capacity_, reach_, transfers_, kept_);
  }
  unsigned poll(transport::Sink& sink) noexcept override {
    unsigned delivered = 0;
    Inbox& mine = inboxes_[static_cast<std::size_t>(rank_)];
    for (std::size_t sender = 0; sender < mine.size(); ++sender) {
      for (std::size_t waiting = mine[sender].size(); waiting > 0; --waiting, ++delivered) {
        const Parcel parcel = std::move(mine[sender].front());
        mine[sender].pop_front();
        sink.arrived(static_cast<int>(sender), parcel.header, parcel.prefix, parcel.body);
      }
    }
    for (; !kept_.empty() && kept_.front().queue->size() < capacity_; ++delivered) {
      const Kept kept = std::move(kept_.front());
      kept_.pop_front();
      kept.queue->push_back(kept.parcel);
      if (kept.sent != nullptr) kept.sent->ended(nullptr);
    }
    if (!transfers_.empty()) {  // the latest one, because transfers may complete in any order
      const Transfer transfer = transfers_.back();
      transfers_.pop_back();
      std::memcpy(transfer.to.data(), transfer.from, transfer.to.size());
      transfer.operation->ended(nullptr);
      ++delivered;
    }
    return delivered;
  }
  bool drained() noexcept override { return kept_.empty(); }
  bool ready() noexcept override {
    return !transfers_.empty() || !kept_.empty() ||
           std::ranges::any_of(inboxes_[static_cast<std::size_t>(rank_)],
                               [](const auto& each) { return !each.empty(); });
  }

 private:
  int rank_;
  std::vector<Inbox>& inboxes_;
  std::size_t capacity_;
  Reach reach_;
  std::deque<Transfer> transfers_;
  std::deque<Kept> kept_;  ///< in the order in which they were sent
};

}  // namespace

MemoryNetwork::MemoryNetwork(int ranks, std::size_t capacity, Reach reach)
    : inboxes_(static_cast<std::size_t>(ranks), Inbox(static_cast<std::size_t>(ranks))) {
  for (int rank = 0; rank < ranks; ++rank) {
    devices_.push_back(std::make_unique<MemoryDevice>(rank, inboxes_, capacity, reach));
  }
}

}  // namespace bowline::test
