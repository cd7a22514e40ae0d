// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/storage/io_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace bowline::mpiio {
namespace {

struct ErrnoMeaning {
  int number;
  ErrorClass error_class;
  std::string_view advice;
};

constexpr std::array<ErrnoMeaning, 24> errno_meanings = {{
    {ENOENT, ErrorClass::no_such_file, "create it with MPI_MODE_CREATE, or check its name and directory"},
    {EEXIST, ErrorClass::file_exists, "delete it first, or open it without MPI_MODE_EXCL"},
    {EACCES, ErrorClass::access, "check the permissions of the file and of its directory"},
    {EPERM, ErrorClass::access, "check the owner and the attributes of the file"},
    {EROFS, ErrorClass::read_only, "open it with MPI_MODE_RDONLY, or use another file system"},
    {ENOSPC, ErrorClass::no_space, "free some space, or write to another file system"},
    {EDQUOT, ErrorClass::quota, "free some space, or ask for a larger quota"},
    {EFBIG, ErrorClass::no_space, "the file system or the file-size limit (ulimit -f) allows no longer file"},
    {EBUSY, ErrorClass::file_in_use, "wait until the other process has closed it"},
    {ETXTBSY, ErrorClass::file_in_use, "the file is a program that is running"},
    {ENAMETOOLONG, ErrorClass::bad_file, "use a shorter name"},
    {ENOTDIR, ErrorClass::bad_file, "a part of the path is no directory"},
    {EISDIR, ErrorClass::bad_file, "name a file, not a directory"},
    {ELOOP, ErrorClass::bad_file, "the path has too many symbolic links"},
    {EINVAL, ErrorClass::io, "the file or its file system does not allow this"},
    {ENXIO, ErrorClass::bad_file, "the file is a device or a pipe that nothing serves"},
    {ESPIPE, ErrorClass::bad_file, "the file is a pipe or a terminal, which has no offsets"},
    {EMFILE, ErrorClass::other, "close some files: this process has too many open (ulimit -n)"},
    {ENFILE, ErrorClass::other, "close some files: this machine has too many open"},
    {ENOMEM, ErrorClass::no_mem, "use less memory per process, or fewer processes per node"},
    {ENOLCK, ErrorClass::unsupported_operation,
     "the file system gives no locks: mount it with them (NFS: with lockd; Lustre: with -o flock), or use another one"},
    {ENOSYS, ErrorClass::unsupported_operation,
     "the file system does not offer this (Lustre gives locks if it is mounted with -o flock)"},
    {EOPNOTSUPP, ErrorClass::unsupported_operation, "the file system does not offer this"},
    {EIO, ErrorClass::io, "the device or the file server reports a fault: see the system's log"},
}};

const ErrnoMeaning* meaning_of(int number) noexcept {
  const auto* const row = std::ranges::find(errno_meanings, number, &ErrnoMeaning::number);
  return row == errno_meanings.end() ? nullptr : row;
}

}  // namespace

ErrorClass class_of(int number) noexcept {
  const ErrnoMeaning* const row = meaning_of(number);
  return row == nullptr ? ErrorClass::io : row->error_class;
}

Error io_error(int number, std::string_view what) {
  const ErrnoMeaning* const row = meaning_of(number);
  std::string text = fmt::format("{} failed: {}", what, std::strerror(number));
  if (row != nullptr) text += fmt::format("; {}", row->advice);
  return {class_of(number), std::move(text)};
}

std::string access_in_words(bool writes, std::size_t bytes, Offset offset, std::string_view file) {
  return fmt::format("{} {} bytes at offset {} of {}", writes ? "writing" : "reading", bytes, offset, file);
}

}  // namespace bowline::mpiio
