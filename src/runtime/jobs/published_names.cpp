// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/published_names.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"

namespace bowline::runtime {
namespace {

TextTunable names_directory(TunableTraits(Category::start).for_users(), "names_directory",
                            "the path of a directory of this user",
                            "where MPI_Publish_name and MPI_Lookup_name keep names; processes that look for each other "
                            "need the same one; empty: .bowline/names in the home directory, or a directory in /tmp "
                            "if there is no home");

/// Whether files can be made in the home directory.
bool is_usable(const char* home) {
  struct stat found {};
  return home != nullptr && home[0] == '/' && stat(home, &found) == 0 && S_ISDIR(found.st_mode) &&
         access(home, W_OK | X_OK) == 0;
}

std::string directory_of_user() {
  if (!names_directory.value().empty()) return names_directory.value();
  const char* const home = std::getenv("HOME");
  return is_usable(home) ? fmt::format("{}/.bowline/names", home) : fmt::format("/tmp/bowline-names-{}", geteuid());
}

void check_service(std::string_view service) {
  if (service.empty()) throw Error(ErrorClass::arg, "service_name is empty: give a name of at least one character");
}

}  // namespace

void check_names_directory() {
  const std::string& value = names_directory.value();
  if (value.empty() || value.starts_with('/')) return;
  throw Error(ErrorClass::arg, fmt::format("BOWLINE_NAMES_DIRECTORY is \"{}\", but must be a path that begins with /, "
                                           "so that it means the same in every process",
                                           value));
}

void PublishedNames::publish(std::string_view service, std::string_view port, NameDirectory::Existing existing) {
  check_service(service);
  const std::string path = directory_of_user();
  const std::lock_guard hold(mutex_);
  own_.emplace(path, service);  // first: what cannot be remembered is not published
  NameDirectory::make(path).publish(service, port, existing);
}

NameDirectory::Found PublishedNames::look_up(std::string_view service) const {
  check_service(service);
  const std::string path = directory_of_user();
  const auto directory = NameDirectory::find(path);
  return directory ? directory->look_up(service) : NameDirectory::nothing_in(path);
}

void PublishedNames::unpublish(std::string_view service, std::string_view port) {
  check_service(service);
  const std::string path = directory_of_user();
  const auto directory = NameDirectory::find(path);
  if (!directory) NameDirectory::refuse_to_unpublish(service, path);
  const std::lock_guard hold(mutex_);
  directory->unpublish(service, port);
  own_.erase({path, std::string(service)});
}

void PublishedNames::withdraw_all() noexcept {
  try {
    const std::lock_guard hold(mutex_);
    const auto names = std::exchange(own_, {});
    for (const auto& [path, service] : names) {
      if (const auto directory = NameDirectory::find(path)) directory->withdraw(service);
    }
  } catch (const std::exception& error) {
    log::warning("names that this process has published stay published: {}", error.what());
  }
}

}  // namespace bowline::runtime
