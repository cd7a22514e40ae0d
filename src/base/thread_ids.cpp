// SPDX-License-Identifier: BSD-3-Clause
#include "base/thread_ids.hpp"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string_view>

namespace bowline {

std::vector<pid_t> thread_ids() {
  struct Close {
    void operator()(DIR* directory) const noexcept { closedir(directory); }
  };
  const std::unique_ptr<DIR, Close> tasks(opendir("/proc/self/task"));
  std::vector<pid_t> ids;
  if (tasks == nullptr) return ids;
  while (const dirent* const entry = readdir(tasks.get())) {
    const std::string_view name(entry->d_name);
    pid_t id = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), id).ec == std::errc()) ids.push_back(id);
  }
  std::ranges::sort(ids);
  return ids;
}

pid_t this_thread_id() noexcept {
  return gettid();
}

}  // namespace bowline
