// SPDX-License-Identifier: BSD-3-Clause
#include "base/existing_directory.hpp"

#include <fcntl.h>
#include <linux/limits.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace bowline {

InExistingDirectory::InExistingDirectory() noexcept {
  std::array<char, PATH_MAX> path;
  if (getcwd(path.data(), path.size()) != nullptr || errno != ENOENT) return;
  removed_ = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (removed_ >= 0 && chdir("/") != 0) {
    close(removed_);
    removed_ = -1;
  }
}

InExistingDirectory::~InExistingDirectory() {
  if (removed_ < 0) return;
  (void)!fchdir(removed_);
  close(removed_);
}

}  // namespace bowline
