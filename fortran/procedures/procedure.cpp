// SPDX-License-Identifier: BSD-3-Clause
#include "procedures/procedure.hpp"

#include <new>

namespace bowline::fortran {

int raise_current(const char* function) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return interface().raise_error(MPI_COMM_NULL, function, MPI_ERR_NO_MEM,
                                   "no memory is left to convert the arguments from Fortran: use less per process");
  } catch (const std::exception& error) {
    return interface().raise_error(MPI_COMM_NULL, function, MPI_ERR_INTERN, error.what());
  }
}

}  // namespace bowline::fortran
