// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/live_memory.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "launcher/queues/queue_error.hpp"

namespace bowline::launcher {
namespace {

constexpr const char* ptrace_scope = "/proc/sys/kernel/yama/ptrace_scope";

int number_in_file(const char* path) {
  int number = 0;
  std::ifstream(path) >> number;
  return number;
}

[[noreturn]] void refuse(pid_t process, int error) {
  struct stat facts {};
  if (error == ENOENT || stat(fmt::format("/proc/{}", process).c_str(), &facts) != 0)
    throw QueueError("there is no process {} here: \"bowline-ps\" lists the ranks of this machine", process);
  if (error != EACCES && error != EPERM)
    throw QueueError("the memory of process {} cannot be read: {}", process, std::strerror(error));
  if (facts.st_uid != geteuid() && geteuid() != 0)
    throw QueueError("process {} belongs to user {}: only that user and root may read its memory", process,
                     facts.st_uid);
  if (const int scope = number_in_file(ptrace_scope); scope > 0)
    throw QueueError(
        "the kernel does not let this user read the memory of process {}, because {} is {}: ask as root, "
        "or let root write 0 to that file",
        process, ptrace_scope, scope);
  throw QueueError(
      "the kernel does not let this user read the memory of process {}: ask as root, and in a container "
      "with the capability SYS_PTRACE",
      process);
}

}  // namespace

LiveMemory::LiveMemory(pid_t process)
    : ProcessMemory(fmt::format("process {}", process)),
      process_(process),
      file_(open(fmt::format("/proc/{}/mem", process).c_str(), O_RDONLY | O_CLOEXEC)) {
  if (file_ < 0) refuse(process, errno);
}

LiveMemory::~LiveMemory() {
  close(file_);
}

bool LiveMemory::read(std::uint64_t address, std::span<std::byte> into) const noexcept {
  while (!into.empty()) {
    const ssize_t got = pread(file_, into.data(), into.size(), static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into = into.subspan(static_cast<std::size_t>(got));
    address += static_cast<std::uint64_t>(got);
  }
  return true;
}

std::vector<MemoryRange> LiveMemory::writable_of_files() const {
  std::ifstream maps(fmt::format("/proc/{}/maps", process_));
  if (!maps) refuse(process_, EACCES);
  std::vector<MemoryRange> ranges;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::string allowed, offset, device;
    std::uint64_t file = 0;
    MemoryRange range;
    char dash = 0;
    words >> std::hex >> range.begin >> dash >> range.end >> allowed >> offset >> device >> std::dec >> file;
    if (words && allowed.starts_with("rw") && allowed.ends_with("p") && file != 0) ranges.push_back(range);
  }
  if (ranges.empty()) throw QueueError("process {} has ended, or is one of the kernel", process_);
  return ranges;
}

std::string LiveMemory::advice() const {
  return fmt::format("ask again, or stop the process before: kill -STOP {}", process_);
}

}  // namespace bowline::launcher
