// SPDX-License-Identifier: BSD-3-Clause
// What Open MPI's own library for C++, libmpi_cxx.so.40, imports of Open MPI's implementation. Programs that were
// compiled with its mpicxx need that library, and it runs on this one. Its functions with callbacks do not: they hand
// them to Open MPI's implementation.
#include <cstdio>
#include <cstdlib>

#pragma GCC visibility push(default)

extern "C" {

// Zeros: no error codes, no data representations and no classes of objects have been registered.
int ompi_errcode_intern_lastused = 0;
long ompi_errcodes_intern[32] = {};
long ompi_registered_datareps[32] = {};
int opal_class_init_epoch = 0;
long opal_list_item_t_class[32] = {};
bool opal_uses_threads = false;

[[noreturn]] void ompi_op_set_cxx_callback() {
  std::fputs(
      "bowline: MPI's C++ functions of Open MPI that take callbacks (MPI::Op::Init, Create_keyval, "
      "Create_errhandler, Register_datarep) do not run on Bowline: call those of C\n",
      stderr);
  std::_Exit(EXIT_FAILURE);
}
#define FRONT_REFUSED(name) [[noreturn]] void name() __attribute__((alias("ompi_op_set_cxx_callback")))
FRONT_REFUSED(ompi_attr_create_keyval);
FRONT_REFUSED(ompi_errhandler_create);
FRONT_REFUSED(ompi_errhandler_invoke);
FRONT_REFUSED(opal_class_initialize);

}  // extern "C"
