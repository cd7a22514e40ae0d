// SPDX-License-Identifier: BSD-3-Clause
#include "support/fabric/pieces.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "support/fabric/misuse.hpp"

namespace fabric {
namespace {

const Region* find_region(const ibv_sge& piece, int process, std::uint32_t domain, unsigned access) {
  const Region& region = subnet().regions[piece.lkey >> 16];
  if (!region.used || region.process != process || region.key != piece.lkey || region.domain != domain) return nullptr;
  if ((region.access & access) != access || piece.addr < region.first) return nullptr;
  const std::uint64_t offset = piece.addr - region.first;
  return offset <= region.length && piece.length <= region.length - offset ? &region : nullptr;
}

template <typename Word>
void store_last(std::byte* to, const std::byte* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  std::atomic_ref<Word>(*reinterpret_cast<Word*>(to)).store(word, std::memory_order_release);
}

void place(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto end = reinterpret_cast<std::uintptr_t>(to) + bytes;
  const std::size_t last = bytes >= 8 && end % 8 == 0 ? 8 : bytes >= 4 && end % 4 == 0 ? 4 : 1;
  const std::size_t rest = bytes - last;
  std::memmove(to, from, rest);
  if (last == 8) {
    store_last<std::uint64_t>(to + rest, from + rest);
  } else if (last == 4) {
    store_last<std::uint32_t>(to + rest, from + rest);
  } else {
    store_last<std::uint8_t>(to + rest, from + rest);
  }
}

void check_region(const Region& region, std::uint64_t offset, std::uint64_t length) {
  const std::uint64_t pages_before = (region.address + offset) / page - region.address / page;
  check_pages(region.process, region.address + offset, length, region.frames + pages_before * sizeof(std::uint64_t));
}

void copy_here(std::span<const iovec> from, std::span<const iovec> to) {
  std::size_t taken = 0, given = 0;  // of the first pieces
  while (!from.empty() && !to.empty()) {
    const std::size_t bytes = std::min(from.front().iov_len - taken, to.front().iov_len - given);
    place(static_cast<std::byte*>(to.front().iov_base) + given,
          static_cast<const std::byte*>(from.front().iov_base) + taken, bytes);
    taken += bytes;
    given += bytes;
    if (taken == from.front().iov_len) from = from.subspan(1), taken = 0;
    if (given == to.front().iov_len) to = to.subspan(1), given = 0;
  }
}

// What process_vm_readv and process_vm_writev have moved must be all of it, unless the process has died.
bool check_moved(ssize_t moved, std::size_t wanted, int process) {
  if (moved == static_cast<ssize_t>(wanted)) return true;
  const int error = errno;
  if (!alive(process)) return false;
  misuse("registered memory of process %d was unmapped before it was deregistered (%zd of %zu bytes moved%s%s)",
         subnet().processes[process].pid, moved, wanted, moved < 0 ? ", " : "", moved < 0 ? std::strerror(error) : "");
}

}  // namespace

bool find_pieces(std::span<const ibv_sge> list, int process, std::uint32_t domain, unsigned access, Pieces& found) {
  for (const ibv_sge& piece : list) {
    if (piece.length == 0) continue;
    const Region* region = find_region(piece, process, domain, access);
    if (region == nullptr) return false;
    const std::uint64_t offset = piece.addr - region->first;
    if (region->frames != 0) check_region(*region, offset, piece.length);
    found.add(reinterpret_cast<const void*>(region->address + offset), piece.length);
  }
  return true;
}

bool write_pieces(const Pieces& from, int process, const Pieces& to) {
  if (from.length() == 0) return true;
  if (process == own_process()) {
    copy_here(from.list(), to.list());
    return true;
  }
  const auto here = from.list(), there = to.list();
  const ssize_t moved =
      process_vm_writev(subnet().processes[process].pid, here.data(), here.size(), there.data(), there.size(), 0);
  return check_moved(moved, from.length(), process);
}

bool read_pieces(int process, const Pieces& from, const Pieces& to) {
  if (to.length() == 0) return true;
  if (process == own_process()) {
    copy_here(from.list(), to.list());
    return true;
  }
  const auto here = to.list(), there = from.list();
  const ssize_t moved =
      process_vm_readv(subnet().processes[process].pid, here.data(), here.size(), there.data(), there.size(), 0);
  return check_moved(moved, to.length(), process);
}

}  // namespace fabric
