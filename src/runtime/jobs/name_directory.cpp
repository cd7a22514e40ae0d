// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/name_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include "base/mutex.hpp"
#include "mpiio/storage/io_errors.hpp"
#include "node/handover.hpp"
#include "runtime/jobs/private_directory.hpp"

namespace bowline::runtime {
namespace {

constexpr std::size_t longest_entry = 1 << 20;
constexpr const char* lock_file = ".lock";
// How long a process waits for the lock, which others hold for the time of a few system calls.
constexpr std::chrono::seconds patience{10};
constexpr std::chrono::milliseconds between_attempts{1};

Error refused(int number, const char* action, const std::string& path) {
  return mpiio::io_error(number, fmt::format("{} {}", action, path));
}

/// Appends the beginning of the file, at most a little more than the longest entry. Returns 0 or an error number.
int content_of(int file, std::string& text) {
  std::array<char, 4096> part;
  while (text.size() <= longest_entry) {
    const ssize_t bytes = ::read(file, part.data(), part.size());
    if (bytes == 0) return 0;
    if (bytes < 0 && errno != EINTR) return errno;
    if (bytes > 0) text.append(part.data(), static_cast<std::size_t>(bytes));
  }
  return 0;
}

/// Returns 0 or an error number.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t bytes = write(file, text.data(), text.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(bytes));
  }
  return 0;
}

}  // namespace

/// Held by one thread of one process. A file system may have no locks, or only such that exclude processes of one node
/// or do not exclude threads: there, two processes that replace the same entry of an ended process may both succeed.
class NameDirectory::Lock {
 public:
  explicit Lock(const NameDirectory& directory)
      : hold_(of_threads),
        file_(openat(directory.directory_.number(), lock_file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600)) {
    if (!file_) throw refused(errno, "opening", directory.path_of(lock_file));
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (flock(file_.number(), LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) return;
      if (std::chrono::steady_clock::now() > deadline) {
        throw Error(ErrorClass::other, fmt::format("another process has kept {} locked for {} s: end it, if it is "
                                                   "stopped (fuser names it)",
                                                   directory.path_of(lock_file), patience.count()));
      }
      std::this_thread::sleep_for(between_attempts);
    }
  }
  /// A child that another thread has forked meanwhile may have the descriptor, too.
  ~Lock() { flock(file_.number(), LOCK_UN); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static inline constinit Mutex of_threads{};

  std::lock_guard<Mutex> hold_;
  node::Descriptor file_;
};

/// A complete entry under a name that no other process uses; removed with the object.
class NameDirectory::Draft {
 public:
  Draft(const NameDirectory& directory, std::string_view text)
      : directory_(directory.directory_.number()), name_(fmt::format(".new-{:016x}", node::make_secret())) {
    const node::Descriptor file(openat(directory_, name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (!file) throw refused(errno, "making", directory.path_of(name_));
    if (const int why = write_all(file.number(), text); why != 0) {
      unlinkat(directory_, name_.c_str(), 0);
      throw refused(why, "writing", directory.path_of(name_));
    }
  }
  ~Draft() { unlinkat(directory_, name_.c_str(), 0); }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;

  const std::string& name() const noexcept { return name_; }

 private:
  int directory_;
  std::string name_;
};

NameDirectory::NameDirectory(std::string path, node::Descriptor directory)
    : path_(std::move(path)), directory_(std::move(directory)) {}

NameDirectory NameDirectory::make(const std::string& path) {
  return {path, make_private_directory(path)};
}

/// The directory is opened for each operation, so that the client of a file server asks what others have changed.
std::optional<NameDirectory> NameDirectory::find(const std::string& path) {
  node::Descriptor directory = open_private_directory(path);
  if (!directory) return std::nullopt;
  return NameDirectory(path, std::move(directory));
}

// Without locks another process may publish the name between the look and the link, which then fails.
void NameDirectory::publish(std::string_view service, std::string_view port, Existing existing) const {
  const std::string file = file_name_of(service);
  const std::string text = NameEntry{std::string(service), std::string(port), Publisher::this_process()}.text();
  if (text.size() > longest_entry) {
    throw Error(ErrorClass::service, fmt::format("service_name is {} and has {} characters: give a shorter one, of at "
                                                 "most 100000 characters",
                                                 in_quotes(service), service.size()));
  }
  const Lock lock(*this);
  const Draft draft(*this, text);
  for (bool linked = link(draft.name(), file); !linked; linked = link(draft.name(), file)) {
    const auto old = read(file, ErrorClass::service);
    if (old && old->service != service) {
      throw Error(ErrorClass::service, fmt::format("service_name {} would have the same file as {}, {}: choose another "
                                                   "name",
                                                   in_quotes(service), in_quotes(old->service), path_of(file)));
    }
    if (!old || existing == Existing::replace || old->publisher.has_ended()) return rename(draft.name(), file);
    throw Error(ErrorClass::service,
                fmt::format("service_name {} is published already, by {}: choose another name, call MPI_Unpublish_name "
                            "first, or set the info key ompi_unique to false, which replaces the entry",
                            in_quotes(service), old->publisher.in_words()));
  }
}

NameDirectory::Found NameDirectory::look_up(std::string_view service) const {
  const std::string file = file_name_of(service);
  const auto entry = read(file, ErrorClass::name);
  if (!entry || entry->service != service) return nothing_in(path_);
  if (!entry->publisher.has_ended()) return {entry->port, {}};
  try {
    remove_ended(*entry, file);
  } catch (const Error&) {  // the name is not published in either case
  }
  return {std::nullopt, fmt::format("{}, which published it, has ended", entry->publisher.in_words())};
}

NameDirectory::Found NameDirectory::nothing_in(const std::string& path) {
  return {std::nullopt, fmt::format("no process has published it in {}", path)};
}

void NameDirectory::refuse_to_unpublish(std::string_view service, const std::string& path) {
  throw Error(ErrorClass::service,
              fmt::format("service_name {} cannot be unpublished: {}", in_quotes(service), nothing_in(path).why));
}

void NameDirectory::unpublish(std::string_view service, std::string_view port) const {
  const Lock lock(*this);
  const std::string file = file_name_of(service);
  const auto entry = read(file, ErrorClass::service);
  if (!entry || entry->service != service) refuse_to_unpublish(service, path_);
  if (entry->port != port) {
    throw Error(ErrorClass::service, fmt::format("service_name {} is published with port_name {}, not with {}: give "
                                                 "the port name with which it was published",
                                                 in_quotes(service), in_quotes(entry->port), in_quotes(port)));
  }
  remove(file);
}

void NameDirectory::withdraw(std::string_view service) const {
  const Lock lock(*this);
  const std::string file = file_name_of(service);
  const auto entry = read(file, ErrorClass::service);
  if (entry && entry->service == service && entry->publisher == Publisher::this_process()) remove(file);
}

void NameDirectory::remove_ended(const NameEntry& entry, const std::string& file) const {
  const Lock lock(*this);
  const auto now = read(file, ErrorClass::name);  // another process may have replaced the entry
  if (now && now->publisher == entry.publisher) remove(file);
}

/// The entry in this file; nothing if there is no file or only the beginning of an entry. Throws Error (`if_foreign`)
/// if the file is something else; Error of another class if the system refuses.
std::optional<NameEntry> NameDirectory::read(const std::string& file, ErrorClass if_foreign) const {
  // A pipe would block.
  const node::Descriptor opened(
      openat(directory_.number(), file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened && errno == ENOENT) return std::nullopt;
  if (!opened && errno != ELOOP) throw refused(errno, "opening", path_of(file));
  struct stat found {};
  NameFile content;
  if (opened && fstat(opened.number(), &found) == 0 && S_ISREG(found.st_mode)) {
    std::string text;
    const int why = content_of(opened.number(), text);
    if (why == ESTALE) return std::nullopt;  // removed meanwhile, on a file server
    if (why != 0) throw refused(why, "reading", path_of(file));
    content = NameFile::parse(text);
  }
  if (content.kind == NameFile::Kind::foreign) {
    throw Error(if_foreign, fmt::format("{} is no entry of this version of Bowline: remove it, or set "
                                        "BOWLINE_NAMES_DIRECTORY to another directory",
                                        path_of(file)));
  }
  if (content.kind == NameFile::Kind::unfinished) return std::nullopt;
  return content.entry;
}

/// Returns false if `to` exists.
bool NameDirectory::link(const std::string& from, const std::string& to) const {
  if (linkat(directory_.number(), from.c_str(), directory_.number(), to.c_str(), 0) == 0) return true;
  const int why = errno;
  struct stat found {};
  // The answer of a file server may be lost although it has made the link.
  if (fstatat(directory_.number(), from.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 && found.st_nlink == 2) return true;
  if (why == EEXIST) return false;
  if (why != EPERM && why != EOPNOTSUPP && why != ENOSYS) throw refused(why, "linking", path_of(to));
  // The file system has no links; the caller holds the lock.
  if (fstatat(directory_.number(), to.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0) return false;
  rename(from, to);
  return true;
}

void NameDirectory::rename(const std::string& from, const std::string& to) const {
  if (renameat(directory_.number(), from.c_str(), directory_.number(), to.c_str()) != 0)
    throw refused(errno, "renaming to", path_of(to));
}

void NameDirectory::remove(const std::string& file) const {
  if (unlinkat(directory_.number(), file.c_str(), 0) != 0 && errno != ENOENT)
    throw refused(errno, "removing", path_of(file));
}

}  // namespace bowline::runtime
