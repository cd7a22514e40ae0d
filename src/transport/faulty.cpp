// SPDX-License-Identifier: BSD-3-Clause
#include "transport/faulty.hpp"

#include <iterator>
#include <utility>

#include "transport/forwarding_endpoint.hpp"

namespace bowline::transport {
namespace {

// Probabilities in percent.
constexpr unsigned sends_refused = 40;
constexpr unsigned accesses_refused = 20;
constexpr unsigned polls_in_vain = 30;
constexpr unsigned deliveries_ended = 20;  ///< how often, after a message, the poll delivers no more
constexpr unsigned deliveries_missed = 30;
constexpr unsigned peers_silenced = 1;  ///< for each message of a peer without held messages

constexpr unsigned longest_silence = 300;  // in polls: up to milliseconds if the polls find nothing else to do

}  // namespace

class FaultyEndpoint final : public ForwardingEndpoint {
 public:
  FaultyEndpoint(FaultyDevice& device, int peer, std::unique_ptr<Endpoint> inner, const Limits& limits)
      : ForwardingEndpoint(std::move(inner), limits), device_(device), peer_(peer) {}

  /// What an endpoint around `inner` can do.
  static Limits limits_of(const Endpoint& inner) noexcept {
    Limits limits = inner.limits();
    limits.travels = true;  // the device holds messages back
    return limits;
  }

  Post send(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept override {
    return device_.chance(sends_refused) ? Post::retry : counted(ForwardingEndpoint::send(header, prefix, body));
  }
  Post send_or_keep(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body,
                    Operation* sent) noexcept override {
    return device_.chance(sends_refused) ? Post::retry
                                         : counted(ForwardingEndpoint::send_or_keep(header, prefix, body, sent));
  }
  std::size_t send_long(Header header, std::span<const std::byte> prefix,
                        std::span<const std::byte> body) noexcept override {
    const std::size_t sent = device_.chance(sends_refused) ? 0 : ForwardingEndpoint::send_long(header, prefix, body);
    if (sent > 0) ++device_.sent_;
    return sent;
  }
  Post post(Header header, std::span<const std::byte> prefix, std::span<const iovec> runs,
            Operation& operation) noexcept override {
    return device_.chance(sends_refused) ? Post::retry
                                         : counted(ForwardingEndpoint::post(header, prefix, runs, operation));
  }
  Access get(const Remote& source, std::span<std::byte> target, Operation& operation) override {
    return device_.chance(accesses_refused) ? Access::refused : ForwardingEndpoint::get(source, target, operation);
  }
  Access put(std::span<const std::byte> source, const Remote& target, Operation& operation) override {
    return device_.chance(accesses_refused) ? Access::refused : ForwardingEndpoint::put(source, target, operation);
  }
  bool lost() noexcept override { return !device_.held_.contains(peer_) && ForwardingEndpoint::lost(); }

 private:
  Post counted(Post result) noexcept {
    if (result != Post::retry) ++device_.sent_;
    return result;
  }

  FaultyDevice& device_;
  int peer_;
};

std::unique_ptr<Endpoint> FaultyDevice::connect(int peer, const Address& address) {
  std::unique_ptr<Endpoint> inner = inner_.connect(peer, address);
  const Limits limits = FaultyEndpoint::limits_of(*inner);
  return std::make_unique<FaultyEndpoint>(*this, peer, std::move(inner), limits);
}

unsigned FaultyDevice::poll(Sink& sink) noexcept {
  struct Catcher final : Sink {
    Catcher(FaultyDevice& device_, Sink& sink_) : device(device_), sink(sink_) {}
    void arrived(int peer, Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) override {
      device.hold(peer, header, prefix, body);
    }
    void broken(int peer, const Failure& why) noexcept override { sink.broken(peer, why); }
    FaultyDevice& device;
    Sink& sink;
  };
  ++polls_;
  if (chance(polls_in_vain)) return 0;
  Catcher catcher(*this, sink);
  inner_.poll(catcher);
  unsigned delivered = 0;
  while (!held_.empty() && !chance(deliveries_ended)) delivered += deliver_one(sink) ? 1 : 0;
  return delivered;
}

void FaultyDevice::hold(int peer, Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) {
  const auto [place, first] = held_.try_emplace(peer);
  Stream& stream = place->second;
  if (first) stream.silent_until = chance(peers_silenced) ? polls_ + random_() % longest_silence : polls_;
  stream.messages.push_back({header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
}

/// Delivers the oldest message of a random peer, regardless of the order of arrival. Returns whether it was delivered.
bool FaultyDevice::deliver_one(Sink& sink) {
  const auto chosen = std::next(held_.begin(), static_cast<std::ptrdiff_t>(random_() % held_.size()));
  const auto& [peer, stream] = *chosen;
  if (stream.silent_until > polls_ || chance(deliveries_missed)) return false;
  const Message& oldest = stream.messages.front();
  try {
    sink.arrived(peer, oldest.header, oldest.prefix, oldest.body);
  } catch (const NotYet&) {
    return false;  // the message stays the oldest
  }
  ++delivered_;
  chosen->second.messages.pop_front();
  if (stream.messages.empty()) held_.erase(chosen);
  return true;
}

}  // namespace bowline::transport
