// SPDX-License-Identifier: BSD-3-Clause
// Simulated machines and patterns whose times are known in closed form.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "coll/machine/hierarchy.hpp"
#include "simulator/simulation.hpp"
#include "simulator/workload.hpp"

namespace bowline::sim {

/// The same round numbers at every level, in nanoseconds.
inline Parameters uniform() {
  Parameters made;
  made.levels.fill(
      {.latency = 1000, .send = 100, .receive = 200, .gap = 10, .byte = 2, .copy_in = 1, .copy_out = 1, .eager = 1000});
  made.combine = 3;
  made.copy = 5;
  made.change = 5000;
  made.piece = 500;
  made.nodes_per_switch = 4;
  made.switches_per_group = 2;
  return made;
}

inline Time nanoseconds(std::uint64_t time) {
  return time * 1000;
}

/// What every member does in a pattern of the test's own.
using Body = std::function<Task(coll::Channel&)>;

inline Report simulate(const Cluster& cluster, const Body& body) {
  return Simulation(cluster, nullptr).run([&](coll::Channel& channel, int) { return body(channel); });
}

inline Report simulate(const Cluster& cluster, const Call& call, const coll::Algorithm& algorithm,
                       std::size_t segment = 0, const coll::Hierarchy* hierarchy = nullptr) {
  const Workload workload(call, cluster.ranks(), segment);
  Simulation simulation(cluster, hierarchy);
  return simulation.run(
      [&](coll::Channel& channel, int) { return algorithm.run(channel, workload.of(channel.rank())); });
}

inline Task ping_pong(coll::Channel& channel, std::size_t bytes) {
  const std::span<std::byte> data(untouchable(0), bytes);
  const int other = 1 - channel.rank();
  if (channel.rank() == 0) {
    auto ping = channel.send(other, data);
    co_await ping;
    auto pong = channel.receive(other, data);
    co_await pong;
  } else {
    auto ping = channel.receive(other, data);
    co_await ping;
    auto pong = channel.send(other, data);
    co_await pong;
  }
}

/// The lower half of the members sends to the upper half, each to one.
inline Task halves(coll::Channel& channel, std::size_t bytes) {
  const std::span<std::byte> data(untouchable(0), bytes);
  const int half = channel.size() / 2;
  if (channel.rank() < half) {
    auto sent = channel.send(channel.rank() + half, data);
    co_await sent;
  } else {
    auto arrived = channel.receive(channel.rank() - half, data);
    co_await arrived;
  }
}

}  // namespace bowline::sim
