// SPDX-License-Identifier: BSD-3-Clause
// Access to data that are one run of the file.
#include <algorithm>
#include <array>
#include <optional>

#include "mpiio/access/bounce.hpp"
#include "mpiio/access/independent.hpp"
#include "mpiio/access/memory_stream.hpp"

namespace bowline::mpiio {
namespace {

// From this average length on, the system moves pieces of memory from or to their places faster than a copy would.
constexpr std::size_t worth_listing = 512;
constexpr std::size_t copied_at_once = 512 << 10;

/// Moves data from or to their places in memory, which one system call takes as a list.
Outcome move_listed(const Ground& ground, const Access& access, Offset offset, MemoryStream& memory, std::size_t done,
                    std::span<iovec> list, std::size_t& listed) {
  std::span<iovec> pieces = list.first(memory.list(done, list));
  listed = 0;
  std::size_t count = 0;
  for (; count < pieces.size() && listed < access.bytes - done; ++count) {
    pieces[count].iov_len = std::min(pieces[count].iov_len, access.bytes - done - listed);
    listed += pieces[count].iov_len;
  }
  pieces = pieces.first(count);
  const Offset at = offset + static_cast<Offset>(done);
  return access.writes ? write_list(ground.storage, at, pieces) : read_list(ground.storage, at, pieces);
}

Outcome move_copied(const Ground& ground, const Access& access, Offset offset, MemoryStream& memory, std::size_t done,
                    std::span<std::byte> copy) {
  const Offset at = offset + static_cast<Offset>(done);
  if (access.writes) {
    memory.copy_out(done, copy);
    return write_all(ground.storage, at, copy);
  }
  const Outcome outcome = read_all(ground.storage, at, copy);
  memory.copy_in(done, copy.first(outcome.bytes));
  return outcome;
}

bool is_worth_listing(MemoryStream& memory, std::size_t bytes) {
  std::array<iovec, 64> sample;
  const std::size_t pieces = memory.list(0, sample);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < pieces; ++i) sum += sample[i].iov_len;
  return std::min(sum, bytes) >= pieces * worth_listing;
}

Outcome move_scattered_memory(const Ground& ground, const Access& access, Offset offset, MemoryStream& memory) {
  Outcome all;
  const bool lists = is_worth_listing(memory, access.bytes);
  const Bounce room(lists ? Storage::most_pieces * sizeof(iovec) : std::min(copied_at_once, access.bytes));
  const std::span<iovec> list(reinterpret_cast<iovec*>(room.data()), lists ? Storage::most_pieces : 0);
  while (all.bytes < access.bytes) {
    std::size_t wanted = std::min(room.size(), access.bytes - all.bytes);
    const Outcome step = lists ? move_listed(ground, access, offset, memory, all.bytes, list, wanted)
                               : move_copied(ground, access, offset, memory, all.bytes, room.first(wanted));
    all.bytes += step.bytes;
    all.error = step.error;
    if (step.error != 0 || step.bytes < wanted) break;
  }
  return all;
}

}  // namespace

Outcome access_run(const Ground& ground, const Access& access, Offset offset) {
  std::optional<RangeBoard::Hold> hold;
  if (access.writes && ground.board != nullptr)
    hold.emplace(*ground.board, Extent{offset, offset + static_cast<Offset>(access.bytes)}, RangeBoard::Access::plain);
  MemoryStream memory(access.memory);
  if (!memory.contiguous()) return move_scattered_memory(ground, access, offset, memory);
  const std::span<std::byte> data = memory.at(0, access.bytes);
  return access.writes ? write_all(ground.storage, offset, data) : read_all(ground.storage, offset, data);
}

}  // namespace bowline::mpiio
