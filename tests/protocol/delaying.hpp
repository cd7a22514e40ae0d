// SPDX-License-Identifier: BSD-3-Clause
// DelayingDevice: a decorator that makes the paths of long messages as slow as the test likes, in a time of its own,
// which passes only where the test wants it to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include "transport/transport.hpp"

namespace bowline::proto {

/// The time, in nanoseconds, and how often it was asked for.
struct MadeUpTime {
  static inline double now = 1;
  static inline std::size_t asked = 0;
  static std::uint64_t clock() noexcept {
    ++asked;
    return static_cast<std::uint64_t>(now);
  }
};

/// What a byte costs, in nanoseconds.
struct Prices {
  double short_pieces = 0.1;  ///< that arrives in a message of the usual length
  double long_pieces = 0.1;   ///< in a longer one
  double reads = 0.1;         ///< that the receiver reads from the sender's memory
  double writes = 0.1;        ///< that the sender writes to the receiver's memory
  bool puts_refused = false;
  bool gets_refused = false;
  std::size_t bytes_read = 0;  ///< by get()
};

class DelayingDevice final : public transport::Device {
 public:
  DelayingDevice(transport::Device& inner, Prices& prices) : inner_(inner), prices_(prices) {}

  std::string_view name() const override { return "delaying"; }
  transport::Address address() const override { return inner_.address(); }
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override {
    return std::make_unique<DelayingEndpoint>(inner_.connect(peer, address), prices_);
  }
  unsigned poll(transport::Sink& sink) noexcept override {
    DelayingSink slow(sink, prices_);
    return inner_.poll(slow);
  }
  bool ready() noexcept override { return inner_.ready(); }

 private:
  static void pass(std::size_t bytes, double price) { MadeUpTime::now += static_cast<double>(bytes) * price; }

  class DelayingSink final : public transport::Sink {
   public:
    DelayingSink(transport::Sink& inner, const Prices& prices) : inner_(inner), prices_(prices) {}
    void arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
                 std::span<const std::byte> body) override {
      constexpr std::size_t longest_usual = 20 << 10;
      pass(body.size(), body.size() > longest_usual ? prices_.long_pieces : prices_.short_pieces);
      inner_.arrived(peer, header, prefix, body);
    }
    void broken(int peer, const Failure& why) noexcept override { inner_.broken(peer, why); }

   private:
    transport::Sink& inner_;
    const Prices& prices_;
  };

  class DelayingEndpoint final : public transport::Endpoint {
   public:
    DelayingEndpoint(std::unique_ptr<transport::Endpoint> inner, Prices& prices)
        : Endpoint(inner->limits()), inner_(std::move(inner)), prices_(prices) {}

    transport::Post send(transport::Header header, std::span<const std::byte> prefix,
                         std::span<const std::byte> body) noexcept override {
      return inner_->send(header, prefix, body);
    }
    std::size_t send_long(transport::Header header, std::span<const std::byte> prefix,
                          std::span<const std::byte> body) noexcept override {
      return inner_->send_long(header, prefix, body);
    }
    bool takes_long() noexcept override { return inner_->takes_long(); }
    transport::Access get(const transport::Remote& source, std::span<std::byte> target,
                          transport::Operation& operation) override {
      if (prices_.gets_refused) return transport::Access::refused;
      pass(target.size(), prices_.reads);
      prices_.bytes_read += target.size();
      return inner_->get(source, target, operation);
    }
    transport::Access put(std::span<const std::byte> source, const transport::Remote& target,
                          transport::Operation& operation) override {
      if (prices_.puts_refused) return transport::Access::refused;
      pass(source.size(), prices_.writes);
      return inner_->put(source, target, operation);
    }

   private:
    std::unique_ptr<transport::Endpoint> inner_;
    Prices& prices_;
  };

  transport::Device& inner_;
  Prices& prices_;
};

}  // namespace bowline::proto
