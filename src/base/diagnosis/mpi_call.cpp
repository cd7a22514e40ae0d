// SPDX-License-Identifier: BSD-3-Clause
#include "base/diagnosis/mpi_call.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <cstdint>
#include <new>
#include <string_view>
#include <unordered_map>

namespace bowline {
namespace {

/// The name of an MPI function in the symbol of an entry point; nullptr if the symbol is none.
const char* function_named(const char* symbol) noexcept {
  if (symbol == nullptr) return nullptr;
  // An entry point has three names: MPI_X, PMPI_X, and bowline_PMPI_X for libraries with another ABI.
  const std::string_view name(symbol);
  for (const std::string_view prefix : {"bowline_P", "P", ""}) {
    if (name.starts_with(prefix) && name.substr(prefix.size()).starts_with("MPI_")) return symbol + prefix.size();
  }
  return nullptr;
}

/// Whether the file is a library of MPI: also those of Fortran and of other ABIs, which call entry points.
bool is_mpi_library(const char* path) noexcept {
  const std::string_view whole(path == nullptr ? "" : path);
  return whole.substr(whole.rfind('/') + 1).starts_with("libmpi");
}

/// What is at an address of code.
struct Code {
  const char* function = nullptr;  ///< an MPI function; nullptr: none
  bool is_library = false;         ///< a library of MPI
};
using KnownCode = std::unordered_map<std::uintptr_t, Code>;

Code code_at(std::uintptr_t address) noexcept {
  Dl_info place{};
  if (dladdr(reinterpret_cast<void*>(address), &place) == 0) place = {};
  const char* const function = function_named(place.dli_sname);
  // The part of a function that handles errors lies apart from it, and has no symbol.
  return {function, function != nullptr || is_mpi_library(place.dli_fname)};
}

Code code_at(std::uintptr_t address, KnownCode* known) noexcept {
  if (known == nullptr) return code_at(address);
  const auto found = known->find(address);
  if (found != known->end()) return found->second;
  const Code code = code_at(address);
  try {
    known->insert({address, code});
  } catch (const std::bad_alloc&) {  // then it is looked up again the next time
  }
  return code;
}

struct Search {
  KnownCode* known;  ///< nullptr: nothing is remembered
  MpiCall call;
  bool found = false;       ///< whether the function has been found
  bool entered = false;     ///< whether a frame of the library has been found
  bool in_handler = false;  ///< frames belong to a signal handler until one that a signal has interrupted
};

_Unwind_Reason_Code look(_Unwind_Context* frame, void* result) noexcept {
  Search& search = *static_cast<Search*>(result);
  int interrupted = 0;
  const std::uintptr_t next = _Unwind_GetIPInfo(frame, &interrupted);
  search.in_handler = search.in_handler && interrupted == 0;
  if (search.in_handler) return _URC_NO_REASON;
  // The call instruction lies before the return address, which may belong to the next function already.
  const std::uintptr_t address = next - 1;
  const Code code = code_at(address, search.known);
  search.entered = search.entered || code.is_library;
  if (search.entered && !code.is_library) {
    search.call.returns_to = address + 1;
    return _URC_END_OF_STACK;
  }
  if (!search.found && code.function != nullptr) {
    search.call.function = code.function;
    search.found = true;
  }
  return _URC_NO_REASON;
}

MpiCall search_stack(KnownCode* known, bool in_handler = false) noexcept {
  Search search{.known = known, .call = {}, .in_handler = in_handler};
  _Unwind_Backtrace(look, &search);
  if (!search.found && NamedMpiCall::name() != nullptr) search.call.function = NamedMpiCall::name();
  return search.call;
}

}  // namespace

MpiCall mpi_call_on_stack() noexcept {
  return search_stack(nullptr);
}

MpiCall mpi_call_interrupted() noexcept {
  return search_stack(nullptr, true);
}

// A library that the program unloads may leave its addresses to another one. Both are the program's: the libraries of
// MPI stay.
MpiCall mpi_call_on_stack_again() noexcept {
  static thread_local KnownCode known;
  return search_stack(&known);
}

}  // namespace bowline
