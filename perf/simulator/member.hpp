// SPDX-License-Identifier: BSD-3-Clause
// The objects of a simulation: the two sides of transfers, and the members that begin them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "simulator/simulation.hpp"
#include "simulator/workload.hpp"

namespace bowline::sim {

inline Time taking(double each, std::size_t bytes) {
  return picoseconds(each * static_cast<double>(bytes));
}

inline bool within_node(Level level) {
  return level <= Level::node;
}

/// One side of a transfer. A message that leaves before the receiver is known to be ready is one that nobody awaits.
struct Simulation::Side : Completion {
  enum class Next : std::uint8_t { nothing, depart, transfer, wake, look };

  Side* next = nullptr;  ///< of the table
  Side* last = nullptr;
  Side* partner = nullptr;
  Time time = 0;  ///< when it was begun; then when it ended, of a message when it arrives
  std::size_t bytes = 0;
  int from = 0;
  int to = 0;
  Level level = Level::cache;
  bool sends = false;
  bool eager = false;
  bool arrived = false;  ///< a message whose time of arrival is known
  Next event = Next::nothing;
};

class Simulation::Member final : public coll::Channel {
 public:
  Member(Simulation& simulation, int rank, int size) : Channel(rank, size), simulation_(simulation) {}

  const Parameters& parameters() const noexcept { return simulation_.cluster_.parameters(); }
  const coll::Hierarchy* hierarchy() const override { return simulation_.hierarchy_; }
  void copy(std::span<const std::byte> from, std::byte* to) override {
    if (from.data() != to) clock += picoseconds(parameters().copy * static_cast<double>(from.size()));
  }
  void combine(const coll::Reduction&, const std::byte*, std::span<std::byte> inout) override {
    clock += picoseconds(parameters().combine * static_cast<double>(inout.size()));
  }

  Time clock = 0;

 private:
  Completion* begin_send(int to, std::span<const std::byte> data) override {
    return simulation_.begin_send(*this, to, data.size());
  }
  Completion* begin_receive(int from, std::span<std::byte> data) override {
    return simulation_.begin_receive(*this, from, data.size());
  }
  void end(Completion& completion) override { simulation_.end(*this, static_cast<Side&>(completion)); }
  void abandon(Completion&) noexcept override {}  // happens only when a simulation ends by an exception

  std::byte* take_scratch(std::size_t bytes) override {
    if (bytes == 0) return nullptr;
    mine_ += bytes;
    Report& report = simulation_.report_;
    report.scratch_of_one = std::max(report.scratch_of_one, mine_);
    report.scratch_of_all = std::max(report.scratch_of_all, simulation_.scratch_ += bytes);
    constexpr std::size_t alignment = 64, last = std::size_t{1} << 57;
    const std::size_t offset = simulation_.addresses_;
    simulation_.addresses_ = (offset + bytes + alignment) / alignment * alignment % last;
    return untouchable(2) + offset;
  }
  void give_scratch(std::byte*, std::size_t bytes) noexcept override {
    mine_ -= bytes;
    simulation_.scratch_ -= bytes;
  }

  Simulation& simulation_;
  std::size_t mine_ = 0;
};

}  // namespace bowline::sim
