// SPDX-License-Identifier: BSD-3-Clause
#include "base/memory_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace bowline {
namespace {

// Programs that share a file of another length would get SIGBUS where it ends.
constexpr int length_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

/// Makes a file without a name in a directory; returns -1 if the directory does not allow it.
int make_in(const char* directory) noexcept {
  if (directory == nullptr || *directory == '\0') return -1;
  const int nameless = open(directory, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
  if (nameless >= 0) return nameless;
  std::array<char, 512> path;
  const int length = std::snprintf(path.data(), path.size(), "%s/bowline-memory-XXXXXX", directory);
  if (length < 0 || static_cast<std::size_t>(length) >= path.size()) return -1;
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) unlink(path.data());
  return named;
}

/// Whether the kernel has no seals for this file.
bool cannot_be_sealed(int file) noexcept {
  const int found = fcntl(file, F_GET_SEALS);
  return found < 0 || found == F_SEAL_SEAL;  // F_SEAL_SEAL alone: a file of tmpfs that memfd_create has not made
}

bool has_no_name(int file) noexcept {
  struct stat found {};
  return fstat(file, &found) == 0 && S_ISREG(found.st_mode) && found.st_nlink == 0;
}

}  // namespace

int make_memory_file(const char* label) noexcept {
  const int made = memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (made >= 0 || (errno != ENOSYS && errno != EPERM && errno != EACCES)) return made;
  const int refused = errno;
  for (const char* directory : {"/dev/shm", static_cast<const char*>(std::getenv("XDG_RUNTIME_DIR")),
                                static_cast<const char*>(std::getenv("TMPDIR")), "/tmp", "/var/tmp"}) {
    if (const int file = make_in(directory); file >= 0) return file;
  }
  errno = refused;
  return -1;
}

bool fix_length(int file) noexcept {
  if (fcntl(file, F_ADD_SEALS, length_seals) == 0) return true;
  const int refused = errno;
  if (cannot_be_sealed(file) && has_no_name(file)) return true;
  errno = refused;
  return false;
}

bool has_fixed_length(int file) noexcept {
  if (cannot_be_sealed(file)) return has_no_name(file);
  constexpr int least = F_SEAL_SHRINK | F_SEAL_GROW;
  return (fcntl(file, F_GET_SEALS) & least) == least;
}

}  // namespace bowline
