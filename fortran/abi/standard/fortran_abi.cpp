// SPDX-License-Identifier: BSD-3-Clause
// The variables of the standard ABI whose addresses have a meaning, and the way to the private interface. Their values
// mean nothing; programs that have no COMMON block of the name get read-only memory, so that a write to them is
// noticed.
#include "fortran_abi.hpp"

#include <cstdio>
#include <cstdlib>

namespace {

// At least that of COMMON blocks, or the linker warns.
constexpr int alignment = 64;

}  // namespace

extern "C" {
alignas(alignment) const int mpi_abi_bottom_ = -1;
alignas(alignment) const int mpi_abi_in_place_ = -1;
alignas(alignment) const int mpi_abi_buffer_automatic_ = -1;
alignas(alignment) const int mpi_abi_unweighted_[1] = {-1};
alignas(alignment) const int mpi_abi_weights_empty_[1] = {-1};
alignas(alignment) const int mpi_abi_errcodes_ignore_[1] = {-1};
alignas(alignment) const int mpi_abi_status_ignore_[MPI_F_STATUS_SIZE] = {-1};
alignas(alignment) const int mpi_abi_statuses_ignore_[MPI_F_STATUS_SIZE] = {-1};
alignas(alignment) const int mpi_abi_f08_status_ignore_[MPI_F_STATUS_SIZE] = {-1};
alignas(alignment) const int mpi_abi_f08_statuses_ignore_[MPI_F_STATUS_SIZE] = {-1};
alignas(alignment) const char mpi_abi_argv_null_[1] = {'?'};
alignas(alignment) const char mpi_abi_argvs_null_[1] = {'?'};
}

namespace bowline::fortran {
namespace {

const PrivateInterface& find_interface() noexcept {
  const PrivateInterface* const found =
      bowline_private_interface_1(PrivateInterface::version, sizeof(PrivateInterface));
  if (found != nullptr) return *found;
  std::fputs(
      "libmpifort_abi.so.1: the libmpi_abi.so.1 that is loaded is of another version of Bowline: "
      "use both from one installation\n",
      stderr);
  std::abort();
}

}  // namespace

const PrivateInterface& interface() noexcept {
  static const PrivateInterface& found = find_interface();
  return found;
}

}  // namespace bowline::fortran
