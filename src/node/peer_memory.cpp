// SPDX-License-Identifier: BSD-3-Clause
#include "node/peer_memory.hpp"

#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/tunable.hpp"
#include "node/handover.hpp"

namespace bowline::node {
namespace {

Tunable<bool> cross_memory_attach(Category::shared_memory, "cross_memory_attach", true, false, true,
                                  "whether ranks may read and write each other's memory on a node (process_vm_readv): "
                                  "messages and collectives");

/// Whether the expected mark was read.
bool is_right(const ProcessMark& process, ssize_t read, std::uint64_t found) noexcept {
  return read >= static_cast<ssize_t>(sizeof found) && found == process.value;
}

ssize_t no_such_process() noexcept {
  errno = ESRCH;
  return -1;
}

iovec at(std::uint64_t address, std::size_t bytes) noexcept {
  return {reinterpret_cast<void*>(address), bytes};
}

}  // namespace

bool allows_single_copy() noexcept {
  return cross_memory_attach.value();
}

ProcessMark own_mark() {
  static const std::uint64_t mark = make_secret() | 1;
  return {.process = getpid(), .address = reinterpret_cast<std::uintptr_t>(&mark), .value = mark};
}

// One call reads the mark and then the data, so both come from the same process.
ssize_t read_memory(const ProcessMark& of, const void* theirs, std::span<std::byte> mine) noexcept {
  std::uint64_t found = 0;
  const std::array local{iovec{&found, sizeof found}, iovec{mine.data(), mine.size()}};
  const std::array remote{at(of.address, sizeof found), iovec{const_cast<void*>(theirs), mine.size()}};
  const ssize_t got = process_vm_readv(of.process, local.data(), local.size(), remote.data(), remote.size(), 0);
  if (got < 0 && errno != EFAULT) return got;
  if (!is_right(of, got, found)) return no_such_process();
  if (got > static_cast<ssize_t>(sizeof found) || mine.empty()) return got - static_cast<ssize_t>(sizeof found);
  errno = EFAULT;  // only the mark could be read
  return -1;
}

ssize_t write_memory(const ProcessMark& of, std::span<const std::byte> mine, void* theirs) noexcept {
  if (read_memory(of, nullptr, {}) < 0) return -1;
  const iovec local{const_cast<std::byte*>(mine.data()), mine.size()};
  const iovec remote{theirs, mine.size()};
  return process_vm_writev(of.process, &local, 1, &remote, 1, 0);
}

ssize_t read_pieces(const ProcessMark& of, std::span<const iovec> theirs, std::span<const iovec> mine) noexcept {
  std::uint64_t found = 0;
  std::array<iovec, most_pieces + 1> local, remote;
  local[0] = {&found, sizeof found};
  remote[0] = at(of.address, sizeof found);
  std::ranges::copy(mine, local.begin() + 1);
  std::ranges::copy(theirs, remote.begin() + 1);
  const ssize_t got = process_vm_readv(of.process, local.data(), mine.size() + 1, remote.data(), theirs.size() + 1, 0);
  if (got < 0 && errno != EFAULT) return got;
  if (!is_right(of, got, found)) return no_such_process();
  if (got > static_cast<ssize_t>(sizeof found)) return got - static_cast<ssize_t>(sizeof found);
  errno = EFAULT;  // only the mark could be read
  return -1;
}

ssize_t write_pieces(const ProcessMark& of, std::span<const iovec> mine, std::span<const iovec> theirs) noexcept {
  if (read_memory(of, nullptr, {}) < 0) return -1;
  return process_vm_writev(of.process, mine.data(), mine.size(), theirs.data(), theirs.size(), 0);
}

// Overwrites the mark with its own value, which changes nothing.
bool reaches(const ProcessMark& process) noexcept {
  if (process.process == 0 || read_memory(process, nullptr, {}) < 0) return false;
  std::uint64_t value = process.value;
  const iovec local{&value, sizeof value};
  const iovec remote = at(process.address, sizeof value);
  return process_vm_writev(process.process, &local, 1, &remote, 1, 0) == sizeof value;
}

std::uint64_t pid_namespace() noexcept {
  static const std::uint64_t number = [] {
    struct stat file {};
    return stat("/proc/self/ns/pid", &file) == 0 ? std::uint64_t{file.st_ino} : 0;
  }();
  return number;
}

}  // namespace bowline::node
