// SPDX-License-Identifier: BSD-3-Clause
// Opening, closing and deleting files (MPI-5.0, sections 14.2.1 to 14.2.3).
#pragma once

#include <string>

#include "base/info.hpp"
#include "comm/communicators.hpp"
#include "mpiio/file/file.hpp"

namespace bowline::mpiio {

/// All processes of `comm`, an intracommunicator, call open_file() together. Throws Error in all of them if it fails in
/// one process. The file's communicator has the error handler `handler`.
File& open_file(comm::Communicators& communicators, comm::Communicator& comm, const std::string& name, int amode,
                const Info& hints, comm::ErrorHandler& handler);

/// All processes of the file call close_file() together. Throws Error in all of them if it fails in one process; the
/// file is closed nevertheless, unless operations on it are pending (Error (request)).
void close_file(File& file);

/// Throws Error.
void delete_file(const std::string& name);

}  // namespace bowline::mpiio
