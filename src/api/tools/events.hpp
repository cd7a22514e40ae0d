// SPDX-License-Identifier: BSD-3-Clause
// The events of the library as MPI_T shows them.
#pragma once

#include "base/events/event.hpp"

namespace bowline::api {

/// By the index that tools use. Throws ToolError.
EventKind& event_at(int index);

}  // namespace bowline::api
