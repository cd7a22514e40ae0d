// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/private_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "mpiio/storage/io_errors.hpp"

namespace bowline::runtime {
namespace {

constexpr const char* advice = "set BOWLINE_NAMES_DIRECTORY to a directory of your own";

/// Makes the directory and those above it. Returns why the last one could not be made; 0 or EEXIST: it exists.
int make_directories(const std::string& path) {
  for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const int why = mkdir(path.substr(0, end).c_str(), 0700) == 0 ? 0 : errno;
    if (end == std::string::npos) return why;
  }
}

void check_that_it_is_private(int directory, const std::string& path) {
  struct stat found {};
  if (fstat(directory, &found) != 0) throw mpiio::io_error(errno, fmt::format("looking at {}", path));
  if (found.st_uid != geteuid()) {
    throw Error(ErrorClass::access, fmt::format("{}, the directory for names, belongs to user {}, but this process "
                                                "runs as user {}: {}",
                                                path, found.st_uid, geteuid(), advice));
  }
  if ((found.st_mode & 077U) != 0) {
    throw Error(ErrorClass::access, fmt::format("{}, the directory for names, has mode {:03o}, which lets other users "
                                                "in: change it to 700, or {}",
                                                path, found.st_mode & 0777U, advice));
  }
}

}  // namespace

node::Descriptor open_private_directory(const std::string& path) {
  std::string place = path;
  while (place.size() > 1 && place.ends_with('/')) place.pop_back();  // else the system would follow a link
  node::Descriptor directory(open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory && errno == ENOENT) return directory;
  if (!directory && (errno == ENOTDIR || errno == ELOOP)) {
    throw Error(ErrorClass::access,
                fmt::format("{}, the directory for names, is a link or a file: remove it, or {}", place, advice));
  }
  if (!directory) throw mpiio::io_error(errno, fmt::format("opening {}, the directory for names,", place));
  check_that_it_is_private(directory.number(), place);
  return directory;
}

node::Descriptor make_private_directory(const std::string& path) {
  const int why = make_directories(path);
  node::Descriptor directory = open_private_directory(path);
  if (!directory) {
    throw mpiio::io_error(why == 0 || why == EEXIST ? ENOENT : why,
                          fmt::format("making {}, the directory for names,", path));
  }
  return directory;
}

}  // namespace bowline::runtime
