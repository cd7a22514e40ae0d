// SPDX-License-Identifier: BSD-3-Clause
#include "recording.hpp"

#include <cstring>
#include <stdexcept>

#include "base/error.hpp"

namespace bowline::proto {
namespace {

constexpr int patience = 100'000;  // idle polls

class RecordingEndpoint final : public transport::Endpoint {
 public:
  RecordingEndpoint(RecordingDevice& device, int peer) : Endpoint(device.limits), device_(device), peer_(peer) {}

  transport::Post send(const transport::Header& header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) noexcept override {
    EXPECT_LE(prefix.size() + body.size(), limits().max_body);
    EXPECT_LE(prefix.size(), limits().max_prefix);
    if (device_.refuse && device_.refuse(peer_)) return transport::Post::retry;
    if (device_.recording) {
      device_.sent.push_back({peer_, header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
    }
    return transport::Post::done;
  }

  bool get(std::uintptr_t address, std::span<std::byte> target) override {
    ++device_.gets;
    if (!device_.get_error.empty()) throw Error(ErrorClass::buffer, device_.get_error);
    if (!device_.readable) return false;
    std::memcpy(target.data(), reinterpret_cast<const void*>(address), target.size());
    return true;
  }

 private:
  RecordingDevice& device_;
  int peer_;
};

}  // namespace

Bytes pattern(std::size_t count, unsigned seed) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((i * 167 + i / 251 + seed * 29) % 0xee);
  return bytes;
}

std::unique_ptr<transport::Endpoint> RecordingDevice::connect(int peer, const transport::Address&) {
  ++connections;
  return std::make_unique<RecordingEndpoint>(*this, peer);
}

unsigned RecordingDevice::poll(transport::Sink& sink) {
  unsigned delivered = 0;
  while (!arriving.empty()) {
    const Message message = std::move(arriving.front());
    arriving.pop_front();
    sink.arrived(message.rank, message.header, message.prefix, message.body);
    ++delivered;
  }
  if (delivered > 0) {
    idle_polls_ = 0;
  } else if (!script.empty()) {
    const auto step = std::move(script.front());
    script.pop_front();
    step();
  } else if (++idle_polls_ > patience) {
    throw std::runtime_error("the engine waits for what will never come");
  }
  return delivered;
}

}  // namespace bowline::proto
