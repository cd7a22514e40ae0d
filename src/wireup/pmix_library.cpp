// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/pmix_library.hpp"

#include <cstdlib>

#include "base/library_folder.hpp"

namespace bowline::wireup {
namespace {

constexpr SharedLibrary::Facts libpmix{
    .file = "libpmix.so.2",
    .purpose = "a launcher and the processes that it starts talk through PMIx 4.2 or newer",
    .remedy = "install PMIx on every node (Debian: libpmix2), or name its library in BOWLINE_PMIX",
    .since = "PMIx_Info_load"};

}  // namespace

std::vector<std::string> pmix_files() {
  const std::string name = libpmix.file;
  if (const char* const chosen = std::getenv("BOWLINE_PMIX"); chosen != nullptr && *chosen != '\0') return {chosen};
  std::vector<std::string> files;
  // By this variable launchers tell where their own PMIx has been moved.
  if (const char* const prefix = std::getenv("PMIX_PREFIX"); prefix != nullptr && *prefix != '\0') {
    for (const char* const folder : {"/lib/", "/lib64/"}) files.push_back(prefix + (folder + name));
  }
  files.push_back(name);
  // Where it was when this library was built: distributions have it outside the loader's folders.
  files.push_back(BOWLINE_PMIX_FOLDER "/" + name);
  // Packages that are unpacked anywhere bring one for machines without PMIx.
  if (std::string carried = companion_file("carried/" + name); !carried.empty()) files.push_back(std::move(carried));
  return files;
}

SharedLibrary load_pmix() {
  return SharedLibrary(libpmix, pmix_files());
}

const PmixLibrary& pmix() {
  static const PmixLibrary loaded;
  return loaded;
}

const PmixClient& pmix_client() {
  static const PmixClient loaded{pmix().file};
  return loaded;
}

}  // namespace bowline::wireup
