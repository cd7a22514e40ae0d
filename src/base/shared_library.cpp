// SPDX-License-Identifier: BSD-3-Clause
#include "base/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "base/error.hpp"

namespace bowline {

SharedLibrary::SharedLibrary(const Facts& facts) : facts_(facts), handle_(dlopen(facts.file, RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) refuse(dlerror());  // its text begins with the name of the file
}

LoadedFunction SharedLibrary::function(const char* name) const {
  void* const address = dlsym(handle_, name);
  if (address == nullptr) refuse(fmt::format("{} has no function {}", path(), name));
  return LoadedFunction(address);
}

LoadedFunction SharedLibrary::function_or_null(const char* name) const noexcept {
  return LoadedFunction(dlsym(handle_, name));
}

std::string SharedLibrary::path() const {
  const link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || *map->l_name == '\0') return facts_.file;
  return map->l_name;
}

void SharedLibrary::refuse(const std::string& why) const {
  throw Error(ErrorClass::other, fmt::format("{}, but {}; {}", facts_.purpose, why, facts_.remedy));
}

}  // namespace bowline
