// SPDX-License-Identifier: BSD-3-Clause
// Performance variables (MPI-5.0, section 15.3.7): the measures of the library, by their names and in their order.
// Counters and timers can be started and stopped, so that a handle counts what happens in between. Levels and peaks are
// read-only, and always run.
#pragma once

#include <mpi.h>

#include "base/counter.hpp"

namespace bowline::api {

/// Throws ToolError.
const Measure& measure_at(int index);
int pvar_class_of(Measure::Kind kind) noexcept;
inline bool is_continuous(const Measure& measure) noexcept {
  return measure.kind() == Measure::Kind::level || measure.kind() == Measure::Kind::peak;
}

}  // namespace bowline::api
