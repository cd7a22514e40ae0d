// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/job_machine.hpp"

#include <cstdint>
#include <span>
#include <string_view>

#include "base/hash.hpp"

namespace bowline::runtime {
namespace {

/// A number for a name, equal in every process; 0 for an empty name.
std::uint64_t number_of(std::string_view name) noexcept {
  if (name.empty()) return 0;
  const std::uint64_t hash = hash_of(std::as_bytes(std::span(name)));
  return hash == 0 ? 1 : hash;
}

/// Reads a path such as "s0.s2", in which the node's own switch comes last. Switches below the same switch are a group.
std::optional<coll::Switches> switches_in(std::string_view path) noexcept {
  if (path.empty()) return std::nullopt;
  return coll::Switches{.leaf = number_of(path), .group = number_of(path.substr(0, path.find_last_of('.') + 1))};
}

}  // namespace

JobMachine::JobMachine(wireup::Wireup& wireup, std::mutex& mutex) noexcept
    : wireup_(wireup), mutex_(mutex), here_(switches_in(wireup.identity().switches)) {}

int JobMachine::unit(coll::Level level, int process) const {
  if (level != coll::Level::node) return -1;
  const std::lock_guard hold(mutex_);
  return wireup_.node_of(process);
}

}  // namespace bowline::runtime
