// SPDX-License-Identifier: BSD-3-Clause
// The transport of a process to itself. The shortest complete transport: the template for a new one.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "transport/transport.hpp"

namespace bowline::transport {

/// Messages wait in a queue of bounded length and are delivered by the next poll.
class SelfDevice final : public Device {
 public:
  /// `rank` is this process's world rank. `sent` is called after every send, because another thread may sleep until the
  /// message arrives.
  explicit SelfDevice(int rank, std::function<void()> sent = {}) noexcept : rank_(rank), sent_(std::move(sent)) {}

  std::string_view name() const override { return "self"; }
  Address address() const override { return {}; }
  std::unique_ptr<Endpoint> connect(int peer, const Address& address) override;
  unsigned poll(Sink& sink) noexcept override;
  bool ready() noexcept override { return !queue_.empty(); }

  struct Message {
    Header header;
    std::size_t prefix_bytes;
    std::vector<std::byte> bytes;
  };
  static constexpr std::size_t capacity = 64;

 private:
  int rank_;
  std::function<void()> sent_;
  std::deque<Message> queue_;
};

}  // namespace bowline::transport
