// SPDX-License-Identifier: BSD-3-Clause
// JobMachine: where the processes of this job run, according to its launcher.
#pragma once

#include <mutex>
#include <optional>

#include "coll/machine/machine.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

/// Knows nodes, and the switches above this process's own node. The machine leaves out units narrower than a node,
/// because the processes of a node use shared memory, in one stage. Any thread may call it.
class JobMachine final : public coll::Machine {
 public:
  /// `mutex` guards the wire-up.
  JobMachine(wireup::Wireup& wireup, std::mutex& mutex) noexcept;

  int unit(coll::Level level, int process) const override;
  std::optional<coll::Switches> switches_here() const override { return here_; }

 private:
  wireup::Wireup& wireup_;
  std::mutex& mutex_;
  std::optional<coll::Switches> here_;
};

}  // namespace bowline::runtime
