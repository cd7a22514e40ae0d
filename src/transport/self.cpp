// SPDX-License-Identifier: BSD-3-Clause
#include "transport/self.hpp"

#include <cstring>
#include <utility>

namespace bowline::transport {
namespace {

constexpr Limits limits_of_self{.max_body = 32 << 10, .max_prefix = 64, .attach_from = 0};

class SelfEndpoint final : public Endpoint {
 public:
  SelfEndpoint(std::deque<SelfDevice::Message>& queue, const std::function<void()>& sent) noexcept
      : Endpoint(limits_of_self), queue_(queue), sent_(sent) {}

  Post send(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept override {
    if (queue_.size() >= SelfDevice::capacity) return Post::retry;
    std::vector<std::byte> bytes(prefix.begin(), prefix.end());
    bytes.insert(bytes.end(), body.begin(), body.end());
    queue_.push_back({header, prefix.size(), std::move(bytes)});
    if (sent_) sent_();
    return Post::done;
  }

  Access get(const Remote& source, std::span<std::byte> target, Operation&) override {
    // Sending to oneself from a buffer into the same buffer is an error of the program, but must not be undefined here.
    std::memmove(target.data(), reinterpret_cast<const void*>(source.address), target.size());
    return Access::done;
  }

 private:
  std::deque<SelfDevice::Message>& queue_;
  const std::function<void()>& sent_;
};

}  // namespace

std::unique_ptr<Endpoint> SelfDevice::connect(int, const Address&) {
  return std::make_unique<SelfEndpoint>(queue_, sent_);
}

unsigned SelfDevice::poll(Sink& sink) {
  unsigned delivered = 0;
  // The sink may send to itself while it is called: what it adds waits for the next poll.
  for (std::size_t waiting = queue_.size(); waiting > 0; --waiting) {
    const Message message = std::move(queue_.front());
    queue_.pop_front();
    const std::span<const std::byte> bytes(message.bytes);
    sink.arrived(rank_, message.header, bytes.first(message.prefix_bytes), bytes.subspan(message.prefix_bytes));
    ++delivered;
  }
  return delivered;
}

}  // namespace bowline::transport
