// SPDX-License-Identifier: BSD-3-Clause
// Rails that do what a test says: devices in memory whose accesses end when they are polled.
#pragma once

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "transport/published.hpp"
#include "transport/striping/striped_device.hpp"
#include "transport/transport.hpp"

namespace bowline::test {

/// An access that a rail has begun.
struct BegunAccess {
  transport::Direction direction;
  std::span<std::byte> local;
  std::uintptr_t remote;
  transport::Operation* operation;
};

class ScriptedRail final : public transport::Device {
 public:
  explicit ScriptedRail(std::byte name) : name_(name) {}
  ~ScriptedRail() override { close(events); }
  ScriptedRail(const ScriptedRail&) = delete;
  ScriptedRail& operator=(const ScriptedRail&) = delete;

  std::string_view name() const override { return "scripted"; }
  transport::Address address() const override { return transport::publish("here", std::span(&name_, 1)); }
  bool reaches(std::span<const std::byte> address) const override {
    const auto theirs = transport::read_published(0, address, "a scripted").device;
    return reaching && theirs.size() == 1 && theirs[0] == name_;
  }
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override;
  /// Ends what it has begun, but for what is held.
  unsigned poll(transport::Sink&) noexcept override {
    ++polls;
    if (held) return 0;
    unsigned ended = 0;
    for (const BegunAccess& each : std::exchange(begun, {})) {
      const Error broken(ErrorClass::other, "the link broke");
      if (!failing) execute(each);
      each.operation->ended(failing ? &broken : nullptr);
      ++ended;
    }
    return ended;
  }
  bool ready() noexcept override { return has_news; }
  bool drained() noexcept override { return begun.empty(); }
  unsigned lost_peers() const noexcept override { return lost ? 1 : 0; }
  void grow_to(int processes) override { processes_known = processes; }
  int descriptor() const noexcept override { return events; }

  /// The key that it gives.
  std::vector<std::byte> key() const { return {std::byte{7}, name_}; }
  void begin(const BegunAccess& access) {
    begun.push_back(access);
    lengths.push_back(access.local.size());
  }

  // What the test chooses.
  bool reaching = true, connecting = true, registering = true, refusing = false, throwing = false;
  bool failing = false, held = false, lost = false, has_news = false;
  int not_yet = 0;  ///< attempts to connect that are to be repeated

  // What the test sees.
  int connections = 0, messages = 0, registered = 0, processes_known = 0;
  unsigned polls = 0;
  std::vector<BegunAccess> begun;
  std::vector<std::size_t> lengths;  ///< of all accesses so far
  int events = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

 private:
  static void execute(const BegunAccess& access) noexcept {
    auto* const remote = reinterpret_cast<std::byte*>(access.remote);
    if (access.direction == transport::Direction::get)
      std::memcpy(access.local.data(), remote, access.local.size());
    else
      std::memcpy(remote, access.local.data(), access.local.size());
  }

  std::byte name_;
};

class ScriptedEndpoint final : public transport::Endpoint {
 public:
  explicit ScriptedEndpoint(ScriptedRail& rail) : Endpoint({.get_from = 0}), rail_(rail) {}
  transport::Post send(transport::Header, std::span<const std::byte>, std::span<const std::byte>) noexcept override {
    ++rail_.messages;
    return transport::Post::done;
  }
  std::vector<std::byte> register_memory(std::span<const std::byte>) override {
    if (!rail_.registering) throw Error(ErrorClass::no_mem, "no more memory can be locked");
    ++rail_.registered;
    return rail_.key();
  }
  std::vector<std::byte> register_window(std::span<const std::byte> memory) override { return register_memory(memory); }
  void deregister(std::span<const std::byte> key) noexcept override {
    EXPECT_TRUE(std::ranges::equal(key, rail_.key()));
    --rail_.registered;
  }
  transport::Access get(const transport::Remote& source, std::span<std::byte> target,
                        transport::Operation& operation) override {
    return begin(transport::Direction::get, target, source, operation);
  }
  transport::Access put(std::span<const std::byte> source, const transport::Remote& target,
                        transport::Operation& operation) override {
    return begin(transport::Direction::put, {const_cast<std::byte*>(source.data()), source.size()}, target, operation);
  }
  bool connected() noexcept override { return rail_.connecting; }
  bool lost() noexcept override { return rail_.lost; }
  std::string loss() const override { return "is gone"; }

 private:
  transport::Access begin(transport::Direction direction, std::span<std::byte> local, const transport::Remote& remote,
                          transport::Operation& operation) {
    EXPECT_TRUE(std::ranges::equal(remote.key, rail_.key())) << "a rail got the key of another";
    if (rail_.throwing) throw Error(ErrorClass::other, "the peer is gone here");
    if (rail_.refusing) return transport::Access::refused;
    rail_.begin({direction, local, remote.address, &operation});
    return transport::Access::begun;
  }

  ScriptedRail& rail_;
};

inline std::unique_ptr<transport::Endpoint> ScriptedRail::connect(int, const transport::Address& address) {
  EXPECT_TRUE(reaches(address)) << "a rail was connected to another one's address";
  if (not_yet > 0) {
    --not_yet;
    throw transport::NotYet(ErrorClass::other, "not now");
  }
  ++connections;
  return std::make_unique<ScriptedEndpoint>(*this);
}

}  // namespace bowline::test
