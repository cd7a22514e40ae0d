// SPDX-License-Identifier: BSD-3-Clause
#include "node/peer_memory.hpp"

#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "base/tunable.hpp"
#include "node/handover.hpp"
#include "node/recent_proofs.hpp"

namespace bowline::node {
namespace {

Tunable<bool> cross_memory_attach(Category::shared_memory, "cross_memory_attach", true, false, true,
                                  "whether ranks may read and write each other's memory on a node (process_vm_readv): "
                                  "messages and collectives");

RecentProofs proofs;

std::uint32_t milliseconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint32_t>(now.tv_sec * 1000 + now.tv_nsec / 1'000'000);
}

iovec at(std::uint64_t address, std::size_t bytes) noexcept {
  return {reinterpret_cast<void*>(address), bytes};
}

/// Reads the process's mark, unless it has been read a moment ago. Sets errno if the result is false.
bool is_proved(const ProcessMark& process) noexcept {
  const std::uint32_t now = milliseconds();
  if (proofs.holds(process, now)) return true;
  std::uint64_t found = 0;
  const iovec local{&found, sizeof found}, remote = at(process.address, sizeof found);
  const ssize_t got = process_vm_readv(process.process, &local, 1, &remote, 1, 0);
  if (got < 0 && errno != EFAULT) return false;
  if (got == sizeof found && found == process.value) {
    proofs.note(process, now);
    return true;
  }
  errno = ESRCH;
  return false;
}

}  // namespace

bool allows_single_copy() noexcept {
  return cross_memory_attach.value();
}

ProcessMark own_mark() {
  static const std::uint64_t mark = make_secret() | 1;
  return {.process = getpid(), .address = reinterpret_cast<std::uintptr_t>(&mark), .value = mark};
}

ssize_t read_pieces(const ProcessMark& of, std::span<const iovec> theirs, std::span<const iovec> mine) noexcept {
  if (!is_proved(of)) return -1;
  return process_vm_readv(of.process, mine.data(), mine.size(), theirs.data(), theirs.size(), 0);
}

ssize_t write_pieces(const ProcessMark& of, std::span<const iovec> mine, std::span<const iovec> theirs) noexcept {
  if (!is_proved(of)) return -1;
  return process_vm_writev(of.process, mine.data(), mine.size(), theirs.data(), theirs.size(), 0);
}

ssize_t read_memory(const ProcessMark& of, const void* theirs, std::span<std::byte> mine) noexcept {
  const iovec local{mine.data(), mine.size()}, remote{const_cast<void*>(theirs), mine.size()};
  return read_pieces(of, {&remote, 1}, {&local, 1});
}

ssize_t write_memory(const ProcessMark& of, std::span<const std::byte> mine, void* theirs) noexcept {
  const iovec local{const_cast<std::byte*>(mine.data()), mine.size()}, remote{theirs, mine.size()};
  return write_pieces(of, {&local, 1}, {&remote, 1});
}

// Overwrites the mark with its own value, which changes nothing.
bool reaches(const ProcessMark& process) noexcept {
  if (process.process == 0 || !is_proved(process)) return false;
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
