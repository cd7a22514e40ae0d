// SPDX-License-Identifier: BSD-3-Clause
// What bowline-sim says that a collective takes on a machine whose messages take what the self-test has measured.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "launcher/selftest/part_output.hpp"

namespace bowline::launcher {

/// The ranks, and what messages between them take: on a node, and between nodes if there are several.
struct SimulatedMachine {
  int nodes = 1, ranks_per_node = 1, cores_per_node = 1;
  const PartOutput* on_node = nullptr;
  const PartOutput* between = nullptr;
};

/// The machine in the form that bowline-sim reads. Parameters that nothing was measured for keep its defaults.
std::string machine_description(const SimulatedMachine& machine);

/// Microseconds of a call of this collective, named as in MPI, with blocks of so many bytes. Nothing if bowline-sim is
/// not there, does not know the collective, or takes longer than `seconds`.
std::optional<double> simulated_time(const SimulatedMachine& machine, const std::string& collective, std::size_t bytes,
                                     double seconds);

}  // namespace bowline::launcher
