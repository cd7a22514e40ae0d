// SPDX-License-Identifier: BSD-3-Clause
// JobMachine: where the processes of this job run, as its launcher tells it.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "coll/machine.hpp"
#include "wireup/wireup.hpp"

namespace bowline::api {

/// Nodes, the switches to which they are connected, and the switches above these. What is narrower than a node is left
/// out: its processes meet in memory that they share, in one stage. Any thread may ask.
class JobMachine final : public coll::Machine {
 public:
  /// `mutex` guards the wire-up.
  JobMachine(wireup::Wireup& wireup, std::mutex& mutex) noexcept : wireup_(wireup), mutex_(mutex) {}

  /// The first question about the switches above a node asks one of its processes, over the network; it throws Error
  /// if that one does not answer.
  int unit(coll::Level level, int world_rank) const override;

 private:
  const std::string& switches_of(int world_rank) const;

  wireup::Wireup& wireup_;
  std::mutex& mutex_;
  mutable std::map<int, std::string> switches_;  ///< by node: as in wireup::Identity
  mutable std::map<std::string, int> numbers_;   ///< of switches, in the order in which they were asked for
};

}  // namespace bowline::api
