// SPDX-License-Identifier: BSD-3-Clause
#include "base/other_settings.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "base/log.hpp"

namespace bowline {
namespace {

// Prefixes of variables of Open MPI and its launcher, MPICH and its launcher, Intel MPI, MVAPICH.
constexpr std::string_view prefixes[] = {"OMPI_MCA_", "PRTE_MCA_", "MPICH_", "MPIR_CVAR_", "HYDRA_", "I_MPI_", "MV2_"};
// Bowline's compiler wrappers read these variables.
constexpr std::string_view used[] = {"MPICH_CC", "MPICH_CXX"};

}  // namespace

std::vector<std::string> settings_of_other_libraries(const char* const* environment) {
  std::vector<std::string> names;
  for (; environment != nullptr && *environment != nullptr; ++environment) {
    const std::string_view entry(*environment);
    const std::string_view name = entry.substr(0, entry.find('='));
    const bool foreign =
        std::ranges::any_of(prefixes, [name](std::string_view prefix) { return name.starts_with(prefix); });
    if (foreign && std::ranges::find(used, name) == std::end(used)) names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

void tell_of_other_settings() {
  if (!log::enabled(log::Level::info)) return;
  const std::vector<std::string> names = settings_of_other_libraries(environ);
  if (names.empty()) return;
  log::info(
      "the environment holds settings of other MPI libraries, which have no effect here: {}; bowline-info --tunables "
      "lists those of Bowline",
      fmt::join(names, ", "));
}

}  // namespace bowline
