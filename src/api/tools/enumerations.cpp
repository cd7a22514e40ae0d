// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 15.3.5: the words of variables.
#include "api/tools/enumerations.hpp"

#include <functional>
#include <map>

#include "api/tools/tool_interface.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

/// By the name of the variable. The handles that tools have point into the map.
std::map<std::string, MPI_ABI_T_enum, std::less<>>& enumerations() {
  static std::map<std::string, MPI_ABI_T_enum, std::less<>> all;
  return all;
}

const MPI_ABI_T_enum& found(MPI_T_enum handle) {
  for (const auto& [name, each] : enumerations()) {
    if (&each == handle) return each;
  }
  throw ToolError(MPI_T_ERR_INVALID_HANDLE);
}

}  // namespace

MPI_T_enum enumeration_of(std::string_view name, std::span<const std::string_view> words) {
  if (words.empty()) return MPI_T_ENUM_NULL;
  return &enumerations().try_emplace(std::string(name), MPI_ABI_T_enum{std::string(name), words}).first->second;
}

void t_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  const ToolLock lock;
  const MPI_ABI_T_enum& enumeration = found(enumtype);
  give(num, static_cast<int>(enumeration.words.size()));
  give_string(enumeration.name, name, name_len);
}

void t_enum_get_item(MPI_T_enum enumtype, int index, int* value, char* name, int* name_len) {
  const ToolLock lock;
  const MPI_ABI_T_enum& enumeration = found(enumtype);
  const std::size_t item = checked_index(index, enumeration.words.size());
  give(value, index);
  give_string(enumeration.words[item], name, name_len);
}

}  // namespace bowline::api
