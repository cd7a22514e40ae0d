// SPDX-License-Identifier: BSD-3-Clause
#include "support/fabric/pins.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "support/fabric/misuse.hpp"
#include "support/fabric/subnet.hpp"

namespace fabric {
namespace {

std::uint64_t number_of(std::uint64_t address) {
  return address / page;
}

std::size_t pages_of(std::uint64_t address, std::uint64_t length) {
  return number_of(address + length - 1) - number_of(address) + 1;
}

// The kernel's table of a process: 55 bits with a page's number, which only root sees, and one that it is there.
std::vector<std::uint64_t> read_frames(pid_t pid, std::uint64_t address, std::uint64_t length) {
  constexpr std::uint64_t number = (1ULL << 55) - 1;
  std::vector<std::uint64_t> frames(pages_of(address, length));
  const int table = open(("/proc/" + std::to_string(pid) + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC);
  const std::size_t bytes = frames.size() * sizeof frames[0];
  const ssize_t got =
      table < 0 ? -1 : pread(table, frames.data(), bytes, static_cast<off_t>(number_of(address) * sizeof frames[0]));
  if (table >= 0) close(table);
  if (got != static_cast<ssize_t>(bytes)) return {};  // the process has died
  for (auto& frame : frames) frame &= number;
  return frames;
}

// A pipe that refers to pages of memory keeps them from being moved or merged.
int pin(const void* address, std::size_t pages) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) misuse("FABRIC_PINNED: no pipe for a region: %s", std::strerror(errno));
  if (fcntl(ends[1], F_SETPIPE_SZ, static_cast<int>(pages * page)) < 0) {
    misuse("FABRIC_PINNED: no pipe for %zu pages: %s", pages, std::strerror(errno));
  }
  iovec rest{const_cast<void*>(address), pages * page};
  while (rest.iov_len != 0) {
    const ssize_t taken = vmsplice(ends[1], &rest, 1, SPLICE_F_NONBLOCK);
    if (taken <= 0) misuse("FABRIC_PINNED: pages cannot be pinned: %s", std::strerror(errno));
    rest.iov_base = static_cast<std::byte*>(rest.iov_base) + taken;
    rest.iov_len -= static_cast<std::size_t>(taken);
  }
  close(ends[1]);
  return ends[0];
}

}  // namespace

Pins::Pins(const void* address, std::size_t length) {
  const auto first = reinterpret_cast<std::uint64_t>(address);
  pipe_ = pin(reinterpret_cast<const void*>(first / page * page), pages_of(first, length));
  frames_ = read_frames(getpid(), first, length);
  if (frames_.empty() || frames_[0] == 0) misuse("FABRIC_PINNED needs root, who alone sees the numbers of pages");
}

Pins::~Pins() {
  close(pipe_);
}

void check_pages(int process, std::uint64_t address, std::uint64_t length, std::uint64_t frames) {
  const pid_t pid = subnet().processes[process].pid;
  const std::vector<std::uint64_t> now = read_frames(pid, address, length);
  std::vector<std::uint64_t> then(now.size());
  const std::size_t bytes = then.size() * sizeof then[0];
  const iovec here{then.data(), bytes};
  const iovec there{reinterpret_cast<void*>(frames), bytes};
  if (process_vm_readv(pid, &here, 1, &there, 1, 0) != static_cast<ssize_t>(bytes)) return;  // it has died
  if (now != then) {
    misuse("the memory at %#llx of process %d is used by a registration that is older than its mapping",
           static_cast<unsigned long long>(address), pid);
  }
}

}  // namespace fabric
