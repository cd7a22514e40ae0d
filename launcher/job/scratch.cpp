// SPDX-License-Identifier: BSD-3-Clause
// See scratch.hpp.
#include "launcher/job/scratch.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "base/random_source.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

constexpr int random_digits = 16;
constexpr int attempts = 50;           // attempts of 1 ms, while another mpiexec takes the new directory for a dead one
constexpr int deepest_directory = 16;  // PMIx's own files lie less deep

class OpenFile {
 public:
  explicit OpenFile(int number) : number_(number) {}
  OpenFile(OpenFile&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  OpenFile& operator=(OpenFile&&) = delete;
  ~OpenFile() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};

/// A number such as "c0ffee12", which is equal in all processes until the machine is started again, and different on
/// other machines. A directory that several machines share may hold scratch directories of all of them, and locks need
/// not work between machines.
std::string boot_number() {
  std::string text;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
  std::erase(text, '-');
  return text.substr(0, 12);
}

OpenFile open_directory(int parent, const char* name) {
  return OpenFile(openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/// The names in an open directory, without "." and "..".
std::vector<std::string> names_in(int directory) {
  std::vector<std::string> names;
  OpenFile again = open_directory(directory, ".");
  if (!again) return names;
  const std::unique_ptr<DIR, CloseDirectory> list(fdopendir(again.number()));
  if (!list) return names;
  static_cast<void>(again.release());
  while (const dirent* entry = readdir(list.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

/// Removes everything in an open directory. Never follows a link.
void empty(int directory, int depth) {
  for (const std::string& name : names_in(directory)) {
    if (unlinkat(directory, name.c_str(), 0) == 0 || depth == 0) continue;
    if (const OpenFile inner = open_directory(directory, name.c_str())) empty(inner.number(), depth - 1);
    unlinkat(directory, name.c_str(), AT_REMOVEDIR);
  }
}

/// Opens and locks a directory of this user, unless a living process has it locked. `place`: where the directory lies.
OpenFile lock_if_dead(int place, const char* name) {
  OpenFile directory = open_directory(place, name);
  struct stat file {};
  const bool dead = directory && fstat(directory.number(), &file) == 0 && file.st_uid == geteuid() &&
                    flock(directory.number(), LOCK_EX | LOCK_NB) == 0;
  return dead ? std::move(directory) : OpenFile(-1);
}

/// Makes and locks a directory. Another mpiexec may find the directory before it is locked, and remove it: then `errno`
/// is EAGAIN.
OpenFile make_locked(const fs::path& path) {
  if (mkdir(path.c_str(), 0700) != 0) {
    if (errno == EEXIST)
      errno =
          EAGAIN;  // a directory of this process that another mpiexec has not removed yet; nobody else knows the name
    return OpenFile(-1);
  }
  OpenFile directory = open_directory(AT_FDCWD, path.c_str());
  struct stat opened {
  }, named{};
  const bool locked = directory && (flock(directory.number(), LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK);
  if (locked && fstat(directory.number(), &opened) == 0 && stat(path.c_str(), &named) == 0 && same_file(opened, named))
    return directory;  // the directory is locked, or in a file system without locks, where it is never taken for dead
  errno = EAGAIN;
  return OpenFile(-1);
}

}  // namespace

std::vector<fs::path> scratch_places(const char* (*value)(const char* name)) {
  std::vector<fs::path> places;
  const auto add = [&places](const char* place) {
    if (place == nullptr || *place == '\0' || std::ranges::find(places, fs::path(place)) != places.end()) return;
    places.emplace_back(place);
  };
  for (const char* place : {value("TMPDIR"), "/tmp", value("XDG_RUNTIME_DIR"), "/dev/shm", "/var/tmp"}) add(place);
  return places;
}

Scratch::Scratch(std::vector<fs::path> places) : places_(std::move(places)), boot_(boot_number()) {
  const RandomSource random;
  name_ = fmt::format("bowline-{}-{:08x}{:08x}", boot_, random(), random());
}

fs::path Scratch::make() {
  for (const fs::path& place : places_) {
    for (int left = attempts; left > 0; --left) {
      OpenFile directory = make_locked(place / name_);
      if (directory) {
        static_cast<void>(directory.release());  // its lock ends with the process
        return place / name_;
      }
      if (errno != EAGAIN) break;
      usleep(1000);
    }
  }
  return {};
}

void Scratch::remove() const {
  for (const fs::path& place : places_) {
    const fs::path path = place / name_;
    if (const OpenFile directory = open_directory(AT_FDCWD, path.c_str())) {
      empty(directory.number(), deepest_directory);
      if (rmdir(path.c_str()) != 0 && errno != ENOENT)
        fmt::print(stderr, "mpiexec: cannot remove {}: {}\n", path.string(), strerror(errno));
    }
  }
}

void Scratch::remove_after_exit() const {
  int alive[2];  // at end of file when this process has ended
  const pid_t child = pipe2(alive, O_CLOEXEC) == 0 ? fork() : -1;
  if (child > 0) return;
  if (child == 0) {
    close(alive[1]);
    char nothing;
    while (read(alive[0], &nothing, 1) < 0 && errno == EINTR) {
    }
  }
  remove();
  if (child == 0) _exit(0);
}

void Scratch::remove_dead() const {
  if (boot_.empty()) return;
  const std::string prefix = fmt::format("bowline-{}-", boot_);
  const auto is_scratch = [&](const std::string& name) {
    return name.starts_with(prefix) && name.size() == prefix.size() + random_digits &&
           name.find_first_not_of("0123456789abcdef", prefix.size()) == std::string::npos && name != name_;
  };
  for (const fs::path& path : places_) {
    const OpenFile place(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!place) continue;
    for (const std::string& name : names_in(place.number())) {
      if (!is_scratch(name)) continue;
      if (const OpenFile dead = lock_if_dead(place.number(), name.c_str())) {
        empty(dead.number(), deepest_directory);
        unlinkat(place.number(), name.c_str(), AT_REMOVEDIR);
      }
    }
  }
}

}  // namespace bowline::launcher
