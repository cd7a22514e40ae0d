// SPDX-License-Identifier: BSD-3-Clause
// ForwardingEndpoint: does what another endpoint does. The base of decorators.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::transport {

class ForwardingEndpoint : public Endpoint {
 public:
  ForwardingEndpoint(std::unique_ptr<Endpoint> inner, const Limits& limits)
      : Endpoint(limits), inner_(std::move(inner)) {}

  Post send(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept override {
    return inner_->send(header, prefix, body);
  }
  Post send_or_keep(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body,
                    Operation* sent) noexcept override {
    return inner_->send_or_keep(header, prefix, body, sent);
  }
  std::size_t send_long(Header header, std::span<const std::byte> prefix,
                        std::span<const std::byte> body) noexcept override {
    return inner_->send_long(header, prefix, body);
  }
  bool takes_long() noexcept override { return inner_->takes_long(); }
  Post post(Header header, std::span<const std::byte> prefix, std::span<const iovec> runs,
            Operation& operation) noexcept override {
    return inner_->post(header, prefix, runs, operation);
  }
  std::vector<std::byte> register_memory(std::span<const std::byte> memory) override {
    return inner_->register_memory(memory);
  }
  void deregister(std::span<const std::byte> key) noexcept override { inner_->deregister(key); }
  Access get(const Remote& source, std::span<std::byte> target, Operation& operation) override {
    return inner_->get(source, target, operation);
  }
  Access put(std::span<const std::byte> source, const Remote& target, Operation& operation) override {
    return inner_->put(source, target, operation);
  }
  unsigned readers() const noexcept override { return inner_->readers(); }
  Nearness nearness() noexcept override { return inner_->nearness(); }
  std::vector<std::byte> register_window(std::span<const std::byte> memory) override {
    return inner_->register_window(memory);
  }
  std::unique_ptr<PeerMemory> open_memory(std::span<const std::byte> key) override { return inner_->open_memory(key); }
  Access flush(Operation& operation) override { return inner_->flush(operation); }
  bool connected() noexcept override { return inner_->connected(); }
  void wake() noexcept override { inner_->wake(); }
  bool lost() noexcept override { return inner_->lost(); }
  void abandon(const std::string& why) noexcept override { inner_->abandon(why); }
  bool left() noexcept override { return inner_->left(); }
  bool exits() noexcept override { return inner_->exits(); }
  bool ends() noexcept override { return inner_->ends(); }
  bool shows_end() const noexcept override { return inner_->shows_end(); }
  std::string loss() const override { return inner_->loss(); }

 private:
  std::unique_ptr<Endpoint> inner_;
};

}  // namespace bowline::transport
