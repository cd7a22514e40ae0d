// SPDX-License-Identifier: BSD-3-Clause
#include "transport/counting.hpp"

#include <algorithm>
#include <utility>

#include "transport/forwarding_endpoint.hpp"

namespace bowline::transport {
namespace {

/// One thread at a time uses an endpoint, so counting takes no atomic operation but loads and stores.
void count(Atomic<std::uint64_t>& total, std::size_t bytes) noexcept {
  total.store(total.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
}

class CountingEndpoint final : public ForwardingEndpoint {
 public:
  CountingEndpoint(std::unique_ptr<Endpoint> inner, const Limits& limits, PeerTraffic& traffic)
      : ForwardingEndpoint(std::move(inner), limits), traffic_(traffic) {}

  Post send(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept override {
    return counted(ForwardingEndpoint::send(header, prefix, body), prefix, body.size());
  }
  Post send_or_keep(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body,
                    Operation* sent) noexcept override {
    return counted(ForwardingEndpoint::send_or_keep(header, prefix, body, sent), prefix, body.size());
  }
  std::size_t send_long(Header header, std::span<const std::byte> prefix,
                        std::span<const std::byte> body) noexcept override {
    const std::size_t sent = ForwardingEndpoint::send_long(header, prefix, body);
    count(traffic_.sent, sent);
    return sent;
  }
  Post post(Header header, std::span<const std::byte> prefix, std::span<const iovec> runs,
            Operation& operation) noexcept override {
    std::size_t bytes = 0;
    for (const iovec& run : runs) bytes += run.iov_len;
    return counted(ForwardingEndpoint::post(header, prefix, runs, operation), prefix, bytes);
  }
  Access get(const Remote& source, std::span<std::byte> target, Operation& operation) override {
    const Access result = ForwardingEndpoint::get(source, target, operation);
    if (result != Access::refused) count(traffic_.fetched, target.size());
    return result;
  }
  Access put(std::span<const std::byte> source, const Remote& target, Operation& operation) override {
    const Access result = ForwardingEndpoint::put(source, target, operation);
    if (result != Access::refused) count(traffic_.sent, source.size());
    return result;
  }

 private:
  Post counted(Post result, std::span<const std::byte> prefix, std::size_t bytes) noexcept {
    if (result == Post::retry) return result;
    count(traffic_.sent, bytes);
    if (prefix.empty()) count(traffic_.eager[MessageSizes::row_of(std::min(bytes, PeerTraffic::longest_eager))], 1);
    return result;
  }

  PeerTraffic& traffic_;
};

}  // namespace

std::unique_ptr<Endpoint> TrafficCounts::counted(int peer, std::string way, std::unique_ptr<Endpoint> inner) {
  if (inner == nullptr) return nullptr;
  const std::lock_guard hold(mutex_);
  const Limits limits = inner->limits();
  return std::make_unique<CountingEndpoint>(std::move(inner), limits, all_.emplace_back(peer, std::move(way)));
}

}  // namespace bowline::transport
