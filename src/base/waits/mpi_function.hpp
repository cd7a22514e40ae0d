// SPDX-License-Identifier: BSD-3-Clause
// The MPI function that the program has called.
#pragma once

namespace bowline {

/// The name of the MPI function that this thread executes, such as "MPI_Recv". If a callback of one MPI function has
/// called another MPI function, returns the inner one. Returns "MPI" if no MPI function is on the stack. The text lives
/// as long as the library.
///
/// The name comes from the return addresses on the stack and the symbols that the library exports. Entry
/// points therefore record nothing. This function takes some tens of microseconds.
const char* mpi_function_on_stack() noexcept;

}  // namespace bowline
