// SPDX-License-Identifier: BSD-3-Clause
// File names as programs pass them to MPI_File_open.
#pragma once

#include <string_view>

namespace bowline::mpiio {

/// The path in a file name. Other MPI libraries let a name begin with the kind of the file system and a colon, as in
/// "ufs:/tmp/data" or "lustre:data"; the kind says nothing that the system does not know itself. A colon after any
/// other word belongs to the path.
std::string_view path_in(std::string_view name) noexcept;

}  // namespace bowline::mpiio
