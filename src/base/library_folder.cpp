// SPDX-License-Identifier: BSD-3-Clause
#include "base/library_folder.hpp"

#include <dlfcn.h>

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

}  // namespace bowline
