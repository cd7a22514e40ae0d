// SPDX-License-Identifier: BSD-3-Clause
// What a front end does when it is loaded: it makes sure that the process uses one ABI of MPI only.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "abi.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {
namespace {

const bowline::PrivateInterface* the_interface = nullptr;

[[noreturn]] void refuse(const char* sentence, const char* name) {
  std::fprintf(stderr, sentence, abi::name, name);
  std::_Exit(EXIT_FAILURE);
}

/// The file of the library that has this address.
const char* file_of(const void* address) noexcept {
  Dl_info info{};
  return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "another library";
}

[[gnu::constructor]] void start() {
  const bowline::PrivateInterface* const found =
      bowline_private_interface_1(bowline::PrivateInterface::version, sizeof(bowline::PrivateInterface));
  if (found == nullptr) {
    refuse(
        "bowline: the library for the ABI of %s needs a newer libmpi_abi.so.1 than %s: install both from one "
        "version of Bowline\n",
        file_of(reinterpret_cast<const void*>(&bowline_PMPI_Init)));
  }
  const char* const other = found->claim(abi::name);
  if (std::strcmp(other, abi::name) != 0) {
    refuse(
        "bowline: this process has loaded libraries that were built for the ABIs of two MPIs, %s and %s: use "
        "libraries that were built for one of them only\n",
        other);
  }
  *found->spawn_failure_code = out_code(MPI_ERR_SPAWN);
  the_interface = found;
}

}  // namespace

const bowline::PrivateInterface& interface() {
  return *the_interface;
}

}  // namespace front
