// SPDX-License-Identifier: BSD-3-Clause
// The service names that this process has published.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/mutex.hpp"
#include "runtime/jobs/name_directory.hpp"

namespace bowline::runtime {

/// Throws Error (arg) if the tunable names_directory is set and is no absolute path.
void check_names_directory();

/// Publishes and finds names in the user's directory, and remembers what to remove when the process ends. Thread-safe.
class PublishedNames {
 public:
  // As in NameDirectory, which says what they throw; Error (arg) if the name is empty.
  void publish(std::string_view service, std::string_view port, NameDirectory::Existing existing);
  NameDirectory::Found look_up(std::string_view service) const;
  void unpublish(std::string_view service, std::string_view port);

  /// Removes the entries that this process has published and not unpublished. Warns of those that it cannot remove.
  void withdraw_all() noexcept;

 private:
  Mutex mutex_;                                        ///< held while an entry and its place in the set change together
  std::set<std::pair<std::string, std::string>> own_;  ///< directory and service; more than are published, perhaps
};

}  // namespace bowline::runtime
