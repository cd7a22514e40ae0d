// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/storage/posix_storage.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace bowline::mpiio {
namespace {

ssize_t or_error(ssize_t result) noexcept {
  return result < 0 ? -errno : result;
}

int error_of(int result) noexcept {
  return result < 0 ? errno : 0;
}

/// Locks of an open file description: unlike classic record locks they belong to this open, not to the process, and
/// closing another descriptor of the file does not release them.
struct flock description_of(Extent part, short type) noexcept {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = part.begin;
  lock.l_len = part.length();
  return lock;
}

int lock_call(int file, int command, struct flock& lock) noexcept {
  int result = 0;
  do {
    result = fcntl(file, command, &lock);
  } while (result < 0 && errno == EINTR);
  return error_of(result);
}

}  // namespace

ssize_t PosixStorage::read_some(Offset offset, std::span<std::byte> target) noexcept {
  return or_error(pread(file_.number(), target.data(), target.size(), offset));
}

ssize_t PosixStorage::write_some(Offset offset, std::span<const std::byte> source) noexcept {
  return or_error(pwrite(file_.number(), source.data(), source.size(), offset));
}

ssize_t PosixStorage::read_list_some(Offset offset, std::span<const iovec> targets) noexcept {
  return or_error(preadv2(file_.number(), targets.data(), static_cast<int>(targets.size()), offset, 0));
}

ssize_t PosixStorage::write_list_some(Offset offset, std::span<const iovec> sources) noexcept {
  return or_error(pwritev2(file_.number(), sources.data(), static_cast<int>(sources.size()), offset, 0));
}

int PosixStorage::sync() noexcept {
  int result = 0;
  do {
    result = fsync(file_.number());
  } while (result < 0 && errno == EINTR);
  // A device or a pipe has nothing to synchronize.
  return result < 0 && errno != EINVAL && errno != EROFS ? errno : 0;
}

int PosixStorage::size(Offset& bytes) noexcept {
  struct stat file {};
  if (fstat(file_.number(), &file) != 0) return errno;
  bytes = file.st_size;
  return 0;
}

int PosixStorage::truncate(Offset bytes) noexcept {
  int result = 0;
  do {
    result = ftruncate(file_.number(), bytes);
  } while (result < 0 && errno == EINTR);
  return error_of(result);
}

// The C library's posix_fallocate would write into existing blocks where the file system cannot allocate space, and
// might overwrite what another process writes there at the same time.
int PosixStorage::preallocate(Offset bytes) noexcept {
  if (bytes == 0) return 0;
  int result = 0;
  do {
    result = fallocate(file_.number(), 0, 0, bytes);
  } while (result < 0 && errno == EINTR);
  if (result < 0 && (errno == EOPNOTSUPP || errno == ENOSYS)) return extend_with_zeros(bytes);
  return error_of(result);
}

int PosixStorage::extend_with_zeros(Offset bytes) noexcept {
  static constexpr std::array<std::byte, 64 << 10> zeros{};
  Offset end = 0;
  if (const int error = size(end); error != 0) return error;
  while (end < bytes) {
    const auto length = std::min<Offset>(bytes - end, zeros.size());
    const ssize_t written = write_some(end, std::span(zeros).first(static_cast<std::size_t>(length)));
    if (written < 0 && written != -EINTR) return static_cast<int>(-written);
    end += std::max<ssize_t>(written, 0);
  }
  return 0;
}

int PosixStorage::lock(Extent part, LockKind kind) noexcept {
  struct flock lock = description_of(part, kind == LockKind::shared ? F_RDLCK : F_WRLCK);
  return lock_call(file_.number(), F_OFD_SETLKW, lock);
}

int PosixStorage::unlock(Extent part) noexcept {
  struct flock lock = description_of(part, F_UNLCK);
  return lock_call(file_.number(), F_OFD_SETLK, lock);
}

int PosixStorage::find_lock(Extent part, bool& found) noexcept {
  struct flock lock = description_of(part, F_WRLCK);
  const int error = lock_call(file_.number(), F_OFD_GETLK, lock);
  found = error == 0 && lock.l_type != F_UNLCK;
  return error;
}

int PosixStorage::close() noexcept {
  const int result = ::close(file_.release());
  return result < 0 && errno != EINTR ? errno : 0;  // Linux closes the descriptor even if it is interrupted
}

}  // namespace bowline::mpiio
