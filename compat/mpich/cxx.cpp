// SPDX-License-Identifier: BSD-3-Clause
// What MPICH's own library for C++, libmpichcxx.so.12, imports of MPICH's implementation. Programs that were compiled
// with its mpicxx need that library, and it runs on this one. Its functions with callbacks do not: they hand them to
// MPICH's implementation.
#include <cstdio>
#include <cstdlib>

#pragma GCC visibility push(default)

extern "C" {

[[noreturn]] void MPII_Op_set_cxx() {
  std::fputs(
      "bowline: MPI's C++ functions of MPICH that take callbacks (MPI::Op::Init, Create_keyval, "
      "Create_errhandler) do not run on Bowline: call those of C\n",
      stderr);
  std::_Exit(EXIT_FAILURE);
}
#define FRONT_REFUSED(name) [[noreturn]] void name() __attribute__((alias("MPII_Op_set_cxx")))
FRONT_REFUSED(MPII_Errhandler_set_cxx);
FRONT_REFUSED(MPII_Keyval_set_proxy);

}  // extern "C"
