// SPDX-License-Identifier: BSD-3-Clause
#include "fortran/front_interface.hpp"

#include <cstdio>
#include <cstdlib>

extern "C" [[gnu::visibility("default")]] const bowline::PrivateInterface* bowline_front_interface_1(
    int version, std::size_t bytes) noexcept;

namespace bowline::fortran {
namespace {

const PrivateInterface& find_interface() noexcept {
  const PrivateInterface* const found = bowline_front_interface_1(PrivateInterface::version, sizeof(PrivateInterface));
  if (found != nullptr) return *found;
  std::fputs(
      "bowline: the libraries for C and for Fortran programs of another MPI are of different versions: use both "
      "from one installation\n",
      stderr);
  std::abort();
}

}  // namespace

const PrivateInterface& interface() noexcept {
  static const PrivateInterface& found = find_interface();
  return found;
}

}  // namespace bowline::fortran
