// SPDX-License-Identifier: BSD-3-Clause
#include "base/waits/mpi_function.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <cstdint>
#include <string_view>

namespace bowline {
namespace {

/// nullptr if the address is in no MPI function.
const char* function_at(std::uintptr_t address) noexcept {
  Dl_info found{};
  if (dladdr(reinterpret_cast<void*>(address), &found) == 0 || found.dli_sname == nullptr) return nullptr;
  // An entry point has three names: MPI_X, PMPI_X, and bowline_PMPI_X for libraries with another ABI.
  const std::string_view symbol(found.dli_sname);
  for (const std::string_view prefix : {"bowline_P", "P", ""}) {
    if (symbol.starts_with(prefix) && symbol.substr(prefix.size()).starts_with("MPI_"))
      return found.dli_sname + prefix.size();
  }
  return nullptr;
}

_Unwind_Reason_Code look(_Unwind_Context* frame, void* result) noexcept {
  // The call instruction lies before the return address, which may belong to the next function already.
  const char* const name = function_at(_Unwind_GetIP(frame) - 1);
  if (name == nullptr) return _URC_NO_REASON;
  *static_cast<const char**>(result) = name;
  return _URC_END_OF_STACK;
}

}  // namespace

const char* mpi_function_on_stack() noexcept {
  const char* name = "MPI";
  _Unwind_Backtrace(look, &name);
  return name;
}

}  // namespace bowline
