// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/storage/whole_access.hpp"

#include <algorithm>
#include <cerrno>

namespace bowline::mpiio {
namespace {

/// Calls `move(bytes_so_far)` until all `bytes` are moved, the file ends, or an error occurs. A write that moves
/// nothing and reports no error would repeat for ever.
template <class Move>
Outcome repeat(std::size_t bytes, bool writes, Move move) noexcept {
  Outcome outcome;
  while (outcome.bytes < bytes) {
    const ssize_t moved = move(outcome.bytes);
    if (moved == -EINTR) continue;
    if (moved < 0) {
      outcome.error = static_cast<int>(-moved);
      break;
    }
    if (moved == 0) {
      outcome.error = writes ? EIO : 0;
      break;
    }
    outcome.bytes += static_cast<std::size_t>(moved);
  }
  return outcome;
}

/// Drops the first `bytes` bytes of a list.
std::span<iovec> without(std::span<iovec> list, std::size_t bytes) noexcept {
  while (!list.empty() && bytes >= list.front().iov_len) {
    bytes -= list.front().iov_len;
    list = list.subspan(1);
  }
  if (!list.empty()) {
    list.front().iov_base = static_cast<std::byte*>(list.front().iov_base) + bytes;
    list.front().iov_len -= bytes;
  }
  return list;
}

/// The beginning of a list, as much as one system call takes; at least a part of one piece.
std::span<iovec> one_call(std::span<iovec> list, iovec& shortened) noexcept {
  std::size_t bytes = 0;
  std::size_t count = 0;
  while (count < std::min(list.size(), Storage::most_pieces) && bytes + list[count].iov_len <= most_at_once)
    bytes += list[count++].iov_len;
  if (count > 0) return list.first(count);
  shortened = {list.front().iov_base, most_at_once};
  return {&shortened, 1};
}

template <class Move>
Outcome move_list(Offset offset, std::span<iovec> list, bool writes, Move move) noexcept {
  std::size_t bytes = 0;
  for (const iovec& piece : list) bytes += piece.iov_len;
  std::size_t before = 0;
  return repeat(bytes, writes, [&](std::size_t done) {
    list = without(list, done - before);
    before = done;
    iovec shortened;
    return move(offset + static_cast<Offset>(done), one_call(list, shortened));
  });
}

}  // namespace

Outcome read_all(Storage& storage, Offset offset, std::span<std::byte> target) noexcept {
  return repeat(target.size(), false, [&](std::size_t done) {
    return storage.read_some(offset + static_cast<Offset>(done),
                             target.subspan(done, std::min(target.size() - done, most_at_once)));
  });
}

Outcome write_all(Storage& storage, Offset offset, std::span<const std::byte> source) noexcept {
  return repeat(source.size(), true, [&](std::size_t done) {
    return storage.write_some(offset + static_cast<Offset>(done),
                              source.subspan(done, std::min(source.size() - done, most_at_once)));
  });
}

Outcome read_list(Storage& storage, Offset offset, std::span<iovec> targets) noexcept {
  return move_list(offset, targets, false,
                   [&](Offset at, std::span<iovec> part) { return storage.read_list_some(at, part); });
}

Outcome write_list(Storage& storage, Offset offset, std::span<iovec> sources) noexcept {
  return move_list(offset, sources, true,
                   [&](Offset at, std::span<iovec> part) { return storage.write_list_some(at, part); });
}

}  // namespace bowline::mpiio
