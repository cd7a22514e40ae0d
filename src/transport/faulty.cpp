// SPDX-License-Identifier: BSD-3-Clause
#include "transport/faulty.hpp"

#include <iterator>
#include <utility>

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

class FaultyEndpoint final : public Endpoint {
 public:
  FaultyEndpoint(FaultyDevice& device, int peer, std::unique_ptr<Endpoint> inner)
      : Endpoint(limits_of(*inner)), device_(device), peer_(peer), inner_(std::move(inner)) {}

  Post send(Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) noexcept override {
    return device_.chance(sends_refused) ? Post::retry : counted(inner_->send(header, prefix, body));
  }
  std::size_t send_long(Header header, std::span<const std::byte> prefix,
                        std::span<const std::byte> body) noexcept override {
    const std::size_t sent = device_.chance(sends_refused) ? 0 : inner_->send_long(header, prefix, body);
    if (sent > 0) ++device_.sent_;
    return sent;
  }
  bool takes_long() noexcept override { return inner_->takes_long(); }
  Post post(Header header, std::span<const std::byte> prefix, std::span<const iovec> runs,
            Operation& operation) noexcept override {
    return device_.chance(sends_refused) ? Post::retry : counted(inner_->post(header, prefix, runs, operation));
  }
  std::vector<std::byte> register_memory(std::span<const std::byte> memory) override {
    return inner_->register_memory(memory);
  }
  void deregister(std::span<const std::byte> key) noexcept override { inner_->deregister(key); }
  Access get(const Remote& source, std::span<std::byte> target, Operation& operation) override {
    return device_.chance(accesses_refused) ? Access::refused : inner_->get(source, target, operation);
  }
  Access put(std::span<const std::byte> source, const Remote& target, Operation& operation) override {
    return device_.chance(accesses_refused) ? Access::refused : inner_->put(source, target, operation);
  }
  std::vector<std::byte> register_window(std::span<const std::byte> memory) override {
    return inner_->register_window(memory);
  }
  std::unique_ptr<PeerMemory> open_memory(std::span<const std::byte> key) override { return inner_->open_memory(key); }
  Access flush(Operation& operation) override { return inner_->flush(operation); }
  unsigned readers() const noexcept override { return inner_->readers(); }
  Nearness nearness() noexcept override { return inner_->nearness(); }
  bool connected() noexcept override { return inner_->connected(); }
  void wake() noexcept override { inner_->wake(); }
  void abandon(const std::string& why) noexcept override { inner_->abandon(why); }
  bool left() noexcept override { return inner_->left(); }
  bool exits() noexcept override { return inner_->exits(); }
  bool ends() noexcept override { return inner_->ends(); }
  bool shows_end() const noexcept override { return inner_->shows_end(); }
  bool lost() noexcept override { return !device_.held_.contains(peer_) && inner_->lost(); }
  std::string loss() const override { return inner_->loss(); }

 private:
  static Limits limits_of(const Endpoint& inner) noexcept {
    Limits limits = inner.limits();
    limits.travels = true;  // the device holds messages back
    return limits;
  }
  Post counted(Post result) noexcept {
    if (result != Post::retry) ++device_.sent_;
    return result;
  }

  FaultyDevice& device_;
  int peer_;
  std::unique_ptr<Endpoint> inner_;
};

std::unique_ptr<Endpoint> FaultyDevice::connect(int peer, const Address& address) {
  return std::make_unique<FaultyEndpoint>(*this, peer, inner_.connect(peer, address));
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
