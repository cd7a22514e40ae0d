// SPDX-License-Identifier: BSD-3-Clause
// JobMachine: where the processes of this job run, as its launcher tells it.
#pragma once

#include <mutex>
#include <optional>

#include "coll/machine/machine.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

/// Nodes, and the switches above this process's own. What is narrower than a node is left out: its processes meet in
/// memory that they share, in one stage. Any thread may ask.
class JobMachine final : public coll::Machine {
 public:
  /// `mutex` guards the wire-up.
  JobMachine(wireup::Wireup& wireup, std::mutex& mutex) noexcept;

  int unit(coll::Level level, int world_rank) const override;
  std::optional<coll::Switches> switches_here() const override { return here_; }

 private:
  wireup::Wireup& wireup_;
  std::mutex& mutex_;
  std::optional<coll::Switches> here_;
};

}  // namespace bowline::runtime
