// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/queue_library.hpp"

#include <array>
#include <cstddef>
#include <cstring>
#include <string>

#include "base/library_folder.hpp"

namespace {
constexpr std::size_t longest_path = 1024;
}

// "A Standard Interface for Debugger Access to Message Queue Information in MPI" (Cownie, Gropp) has debuggers read the
// first one. Newer ones read the second one, an array that ends with a null pointer. Their types are those of C,
// because debuggers ask the debug information for them.
extern "C" {
[[gnu::used, gnu::visibility("default")]] char MPIR_dll_name[longest_path] = "libbowline_dbg.so";
[[gnu::used, gnu::visibility("default")]] char** mpimsgq_dll_locations = nullptr;
}

namespace bowline::runtime {

void name_queue_library() {
  static std::array<char*, 2> locations{MPIR_dll_name, nullptr};
  if (mpimsgq_dll_locations != nullptr) return;
  const std::string path = companion_file("libbowline_dbg.so");
  // Without a path, or with a longer one, debuggers search where the loader searches, as the first value says.
  if (!path.empty() && path.size() < longest_path) std::memcpy(MPIR_dll_name, path.c_str(), path.size() + 1);
  mpimsgq_dll_locations = locations.data();
}

}  // namespace bowline::runtime
