// SPDX-License-Identifier: BSD-3-Clause
// Split collective accesses (MPI-5.0, section 14.4.5): at most one per file at a time.
#pragma once

#include "mpiio/file/file.hpp"

namespace bowline::api {

/// Throws Error (io) if a split access has begun and not ended. `function`: which is not allowed meanwhile.
void refuse_during_split(mpiio::File& file, const char* function);

/// Ends a split access that has not been ended, before the file is closed.
void finish_split(mpiio::File& file);

}  // namespace bowline::api
