// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/report/rank_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/log.hpp"
#include "base/parent_port.hpp"

namespace bowline::runtime {

std::string folder_for_ranks(const std::string& folder, std::string_view variable, std::string_view or_else) {
  const bool made = mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST;
  if (made && access(folder.c_str(), W_OK | X_OK) == 0) return std::filesystem::absolute(folder);
  log::warning("{}: {}={}: no files can be made in this folder: {}", or_else, variable, folder, std::strerror(errno));
  return {};
}

bool is_spawned() noexcept {
  return std::getenv(ParentPort::variable) != nullptr;
}

}  // namespace bowline::runtime
