// SPDX-License-Identifier: BSD-3-Clause
// Access to pieces of the file, one by one.
#include <algorithm>
#include <optional>

#include "mpiio/access/bounce.hpp"
#include "mpiio/access/independent.hpp"
#include "mpiio/access/memory_stream.hpp"

namespace bowline::mpiio {
namespace {

/// The part of the file in which the pieces lie, in whatever order.
Extent around(std::span<const FilePiece> pieces) noexcept {
  Extent part{pieces.front().offset, pieces.front().offset};
  for (const FilePiece& piece : pieces) {
    part.begin = std::min(part.begin, piece.offset);
    part.end = std::max(part.end, piece.offset + static_cast<Offset>(piece.bytes));
  }
  return part;
}

Outcome move_piece(const Ground& ground, bool writes, const FilePiece& piece, std::byte* data) noexcept {
  return writes ? write_all(ground.storage, piece.offset, {data, piece.bytes})
                : read_all(ground.storage, piece.offset, {data, piece.bytes});
}

/// `data`: the data of the first piece; the data of the other pieces follow.
Outcome move_pieces(const Ground& ground, bool writes, std::span<const FilePiece> pieces, std::byte* data) noexcept {
  Outcome all;
  for (const FilePiece& piece : pieces) {
    const Outcome step = move_piece(ground, writes, piece, data + all.bytes);
    all.bytes += step.bytes;
    all.error = step.error;
    if (step.error != 0 || step.bytes < piece.bytes) break;
  }
  return all;
}

/// Moves one piece of the file, whose data have holes in memory.
Outcome move_with_holes(const Ground& ground, const Access& access, std::size_t done, const FilePiece& piece) {
  MemoryStream memory(access.memory);
  constexpr std::size_t copied_at_once = 512 << 10;
  const Bounce copy(std::min(piece.bytes, copied_at_once));
  Outcome all;
  while (all.bytes < piece.bytes) {
    const std::span<std::byte> data = copy.first(std::min(copy.size(), piece.bytes - all.bytes));
    const FilePiece next{piece.offset + static_cast<Offset>(all.bytes), data.size()};
    if (access.writes) memory.copy_out(done + all.bytes, data);
    const Outcome step = move_piece(ground, access.writes, next, data.data());
    if (!access.writes) memory.copy_in(done + all.bytes, data.first(step.bytes));
    all.bytes += step.bytes;
    all.error = step.error;
    if (step.error != 0 || step.bytes < data.size()) break;
  }
  return all;
}

}  // namespace

Outcome access_pieces(const Ground& ground, const Access& access, std::size_t done, std::span<const FilePiece> pieces) {
  std::optional<RangeBoard::Hold> hold;
  if (access.writes && ground.board != nullptr) hold.emplace(*ground.board, around(pieces), RangeBoard::Access::plain);
  const MemoryStream memory(access.memory);
  if (memory.contiguous()) return move_pieces(ground, access.writes, pieces, memory.at(done, 0).data());
  Outcome all;
  for (const FilePiece& piece : pieces) {
    const Outcome step = move_with_holes(ground, access, done + all.bytes, piece);
    all.bytes += step.bytes;
    all.error = step.error;
    if (step.error != 0 || step.bytes < piece.bytes) break;
  }
  return all;
}

}  // namespace bowline::mpiio
