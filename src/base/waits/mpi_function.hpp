// SPDX-License-Identifier: BSD-3-Clause
// The MPI function that the program has called.
#pragma once

namespace bowline {

/// The name of the MPI function that this thread is in, as "MPI_Recv"; of several, one called in a callback of the
/// other, the inner one. "MPI" if there is none on the stack. It lives as long as the library.
///
/// The name comes from the return addresses on the stack and the symbols that the library exports. So a call that does
/// not ask pays nothing for it; one that asks pays some tens of microseconds.
const char* mpi_function_on_stack() noexcept;

}  // namespace bowline
