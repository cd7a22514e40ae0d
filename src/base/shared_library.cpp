// SPDX-License-Identifier: BSD-3-Clause
#include "base/shared_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <utility>

#include "base/error.hpp"

namespace bowline {

SharedLibrary::SharedLibrary(const Facts& facts) : facts_(facts) {
  std::string why;
  if (!load(facts.file, why)) refuse(why);
}

SharedLibrary::SharedLibrary(const Facts& facts, std::span<const std::string> files) : facts_(facts) {
  std::string unfit, absent;
  for (const std::string& file : files) {
    std::string why;
    if (load(file, why)) return;
    std::string& reason = why.starts_with(file + ": cannot open shared object file: No such file") ? absent : unfit;
    if (reason.empty()) reason = std::move(why);
  }
  refuse(unfit.empty() ? absent : unfit);
}

bool SharedLibrary::load(const std::string& name, std::string& why) {
  handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    why = dlerror();  // its text begins with the name of the file
    return false;
  }
  if (facts_.since == nullptr || dlsym(handle_, facts_.since) != nullptr) return true;
  why = fmt::format("{} is too old: it has no function {}", path(), facts_.since);
  dlclose(std::exchange(handle_, nullptr));
  return false;
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
