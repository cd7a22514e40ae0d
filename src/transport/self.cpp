// SPDX-License-Identifier: BSD-3-Clause
#include "transport/self.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace bowline::transport {
namespace {

constexpr unsigned most_at_once = 4096;
constexpr Limits limits_of_self{.max_body = 32 << 10, .max_prefix = 64, .single_copy_from = 0};

class SelfEndpoint final : public Endpoint {
 public:
  SelfEndpoint(std::deque<SelfDevice::Message>& queue, const std::function<void()>& sent) noexcept
      : Endpoint(limits_of_self), queue_(queue), sent_(sent) {}

  Post send(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept override {
    if (queue_.size() >= SelfDevice::capacity) return Post::retry;
    try {
      std::vector<std::byte> bytes(prefix.begin(), prefix.end());
      bytes.insert(bytes.end(), body.begin(), body.end());
      queue_.push_back({header, prefix.size(), std::move(bytes)});
    } catch (const std::bad_alloc&) {
      return Post::retry;  // no memory means no room
    }
    if (sent_) sent_();
    return Post::done;
  }

  Access get(const Remote& source, std::span<std::byte> target, Operation&) override {
    // A program that sends to itself from a buffer into the same buffer is wrong, but must not cause undefined
    // behaviour here.
    std::memmove(target.data(), reinterpret_cast<const void*>(source.address), target.size());
    return Access::done;
  }
  bool shows_end() const noexcept override { return true; }  // no process has to ask itself for its end

 private:
  std::deque<SelfDevice::Message>& queue_;
  const std::function<void()>& sent_;
};

}  // namespace

std::unique_ptr<Endpoint> SelfDevice::connect(int, const Address&) {
  return std::make_unique<SelfEndpoint>(queue_, sent_);
}

unsigned SelfDevice::poll(Sink& sink) noexcept {
  unsigned delivered = 0;
  // The sink may send to this process while it runs. The same poll delivers these messages too, so that an operation
  // that depends on this process alone is complete after one poll. The limit stops endless chains of messages.
  while (delivered < most_at_once && !queue_.empty()) {
    const Message& message = queue_.front();
    const std::span<const std::byte> bytes(message.bytes);
    try {
      sink.arrived(rank_, message.header, bytes.first(message.prefix_bytes), bytes.subspan(message.prefix_bytes));
    } catch (const NotYet&) {
      break;  // the message remains the first one
    }
    queue_.pop_front();
    ++delivered;
  }
  return delivered;
}

}  // namespace bowline::transport
