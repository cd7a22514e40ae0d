// SPDX-License-Identifier: BSD-3-Clause
#include "base/library_folder.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <system_error>

namespace bowline {

std::string library_folder() {
  Dl_info place{};
  if (dladdr(reinterpret_cast<void*>(&library_folder), &place) == 0 || place.dli_fname == nullptr) return {};
  std::filesystem::path file(place.dli_fname);
  std::error_code error;
  // The name of a program is the word by which it was started, which may be no path.
  if (file.filename().native().find(".so") == std::string::npos)
    file = std::filesystem::read_symlink("/proc/self/exe", error);
  return file.parent_path();
}

std::string companion_file(const std::string& name) {
  // Beside the library; beside the folder of mpiexec, installed and in a build tree; beside the library in a build
  // tree.
  constexpr std::array relatives{"bowline", BOWLINE_BIN_TO_LIB "/bowline", "../lib/bowline", "../../lib/bowline"};
  const std::string folder = library_folder();
  for (const char* const relative : relatives) {
    std::string path = folder + '/' + relative + '/' + name;
    if (access(path.c_str(), F_OK) == 0) return path;
  }
  return {};
}

}  // namespace bowline
