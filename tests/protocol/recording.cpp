// SPDX-License-Identifier: BSD-3-Clause
#include "recording.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

#include "base/error.hpp"

namespace bowline::proto {
namespace {

constexpr int patience = 100'000;  // idle polls

}  // namespace

class RecordingEndpoint final : public transport::Endpoint {
 public:
  RecordingEndpoint(RecordingDevice& device, int peer) : Endpoint(device.limits), device_(device), peer_(peer) {}

  transport::Post send(transport::Header header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) noexcept override {
    EXPECT_LE(prefix.size() + body.size(), limits().max_body);
    EXPECT_LE(prefix.size(), limits().max_prefix);
    if (device_.connecting || (device_.refuse && device_.refuse(peer_))) return transport::Post::retry;
    if (device_.recording) {
      device_.sent.push_back({peer_, header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
    }
    return transport::Post::done;
  }

  transport::Post send_or_keep(transport::Header header, std::span<const std::byte> prefix,
                               std::span<const std::byte> body, transport::Operation* leaving) noexcept override {
    if (!device_.connecting || (device_.refuse && device_.refuse(peer_))) return send(header, prefix, body);
    device_.kept.push_back({{peer_, header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}}, leaving});
    return transport::Post::begun;
  }

  transport::Post post(transport::Header header, std::span<const std::byte> prefix, std::span<const iovec> runs,
                       transport::Operation& operation) noexcept override {
    Bytes body;
    for (const iovec& run : runs) {
      EXPECT_GT(run.iov_len, 0U);
      const auto* const from = static_cast<const std::byte*>(run.iov_base);
      body.insert(body.end(), from, from + run.iov_len);
    }
    EXPECT_FALSE(runs.empty());
    EXPECT_LE(runs.size(), std::max<std::size_t>(limits().max_iov, 1));
    EXPECT_LE(body.size(), limits().max_posted);
    if (device_.refuse && device_.refuse(peer_)) return transport::Post::retry;
    device_.sent.push_back({peer_, header, {prefix.begin(), prefix.end()}, std::move(body)});
    if (!device_.delayed) return transport::Post::done;
    device_.posted.push_back({&operation, {runs.begin(), runs.end()}});
    return transport::Post::begun;
  }

  void deregister(std::span<const std::byte> key) noexcept override {
    device_.deregistered.emplace_back(key.begin(), key.end());
  }
  std::vector<std::byte> register_memory(std::span<const std::byte>) override {
    ++device_.registered_memory;
    if (!device_.expose_error.empty()) throw Error(ErrorClass::no_mem, device_.expose_error);
    return device_.key;
  }
  transport::Access get(const transport::Remote& source, std::span<std::byte> target,
                        transport::Operation& operation) override {
    ++device_.gets;
    device_.asked_with.assign(source.key.begin(), source.key.end());
    if (!device_.get_error.empty()) throw Error(ErrorClass::buffer, device_.get_error);
    if (!device_.readable || device_.gets > device_.refused_from) return transport::Access::refused;
    return device_.access(reinterpret_cast<const std::byte*>(source.address), target, operation);
  }
  transport::Access put(std::span<const std::byte> source, const transport::Remote& target,
                        transport::Operation& operation) override {
    ++device_.puts;
    device_.asked_with.assign(target.key.begin(), target.key.end());
    if (!device_.put_error.empty()) throw Error(ErrorClass::buffer, device_.put_error);
    if (!device_.writable) return transport::Access::refused;
    return device_.access(source.data(), {reinterpret_cast<std::byte*>(target.address), source.size()}, operation);
  }
  void abandon(const std::string& why) noexcept override { device_.abandoned.emplace(peer_, why); }
  bool lost() noexcept override {
    for (; !device_.late.empty(); device_.late.pop_front()) device_.arriving.push_back(device_.late.front());
    return device_.lost || device_.only_lost == peer_ || device_.abandoned.contains(peer_);
  }
  bool left() noexcept override { return device_.left.contains(peer_); }

 private:
  RecordingDevice& device_;
  int peer_;
};

Bytes pattern(std::size_t count, unsigned seed) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((i * 167 + i / 251 + seed * 29) % 0xee);
  return bytes;
}

std::unique_ptr<transport::Endpoint> RecordingDevice::connect(int peer, const transport::Address&) {
  if (not_yet) throw transport::NotYet(ErrorClass::other, "a link is cut");
  if (unreachable) throw Error(ErrorClass::no_mem, "no memory for a ring");
  ++connections;
  return std::make_unique<RecordingEndpoint>(*this, peer);
}

transport::Access RecordingDevice::access(const std::byte* from, std::span<std::byte> to,
                                          transport::Operation& operation) {
  if (delayed) {
    begun_.push_back({&operation, from, to});
    return transport::Access::begun;
  }
  std::memcpy(to.data(), from, to.size());
  return transport::Access::done;
}

void RecordingDevice::end_post(const Error* failure) {
  ASSERT_FALSE(posted.empty());
  const Posted ended = posted.front();
  posted.pop_front();
  ended.operation->ended(failure);
}

void RecordingDevice::end_connecting(const Error* failure) {
  connecting = false;
  for (; !kept.empty(); kept.pop_front()) {
    if (failure == nullptr) sent.push_back(kept.front().message);
    if (kept.front().leaving != nullptr) kept.front().leaving->ended(failure);
  }
}

void RecordingDevice::end_access(const Error* failure) {
  ASSERT_FALSE(begun_.empty());
  const Begun access = begun_.front();
  begun_.pop_front();
  if (failure == nullptr) std::memcpy(access.to.data(), access.from, access.to.size());
  access.operation->ended(failure);
}

unsigned RecordingDevice::poll(transport::Sink& sink) noexcept {
  unsigned delivered = 0;
  while (!overlooked && !arriving.empty()) {
    const Message& message = arriving.front();
    try {
      sink.arrived(message.rank, message.header, message.prefix, message.body);
    } catch (const transport::NotYet&) {
      return delivered;  // it comes again, as from a ring
    }
    arriving.pop_front();
    ++delivered;
  }
  if (delivered > 0) {
    idle_polls_ = 0;
  } else if (!script.empty()) {
    const auto step = std::move(script.front());
    script.pop_front();
    step();
  } else if (++idle_polls_ > patience) {
    std::fputs("the engine waits for what will never come\n", stderr);
    std::abort();
  }
  return delivered;
}

}  // namespace bowline::proto
