// SPDX-License-Identifier: BSD-3-Clause
// Independent access: one process moves data between its memory and its view. It blocks the calling thread and needs no
// lock of the library, so any thread may execute it.
//
// There are three methods: data that are one run of the file (run_access.cpp), pieces one by one (piece_access.cpp),
// and data sieving (sieving.cpp), which moves everything from the first to the last of some pieces and picks the pieces
// in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "mpiio/access/cost_model.hpp"
#include "mpiio/sharing/open_register.hpp"
#include "mpiio/sharing/range_board.hpp"
#include "mpiio/storage/whole_access.hpp"
#include "mpiio/view/view.hpp"
#include "proto/request.hpp"

namespace bowline::mpiio {

/// What an independent access works with. All referents must outlive it.
struct Ground {
  Storage& storage;
  const View& view;
  RangeBoard* board;  ///< nullptr: the caller keeps other writers out of the whole access
  CostModel& costs;
  bool sieves = true;        ///< data sieving is allowed
  bool only_sieves = false;  ///< and nothing else, for pieces
  /// Data sieving writes only while there are no other opens; nullptr: the caller knows that there are none.
  OpenRegister* opens = nullptr;
  std::size_t sieve_bytes = 512 << 10;  ///< bytes that data sieving moves at a time
};

/// Data of one process: a part of its view's stream, and the memory from which they come or to which they go. The
/// memory holds the bytes as they are in the file, in the order of the stream.
struct Access {
  bool writes;
  proto::Buffer memory;
  std::uint64_t position;  ///< of the first byte, in the view's stream
  std::size_t bytes;       ///< at most the bytes of the memory
};

/// Moves the data. If an error occurs or the file ends, the data in front of that place have been moved.
Outcome access_independently(const Ground& ground, const Access& access);

// ---- the ways

/// The data are one run of the file, which begins at `offset`.
Outcome access_run(const Ground& ground, const Access& access, Offset offset);

/// Moves the next `pieces.size()` pieces, whose data begin `done` bytes behind the beginning of the access.
Outcome access_pieces(const Ground& ground, const Access& access, std::size_t done, std::span<const FilePiece> pieces);

/// The number of bytes of data that one step of data sieving moves from `done` on: the bytes of the access that lie
/// within sieve_bytes of the file.
struct SieveStep {
  Extent span;       ///< from the first byte of data to behind the last
  std::size_t data;  ///< bytes of data in the span
};
SieveStep next_sieve_step(const Ground& ground, const Access& access, std::size_t done) noexcept;
/// Moves the data of one step. The access ascends. Returns nothing if the step may not write now, because there are
/// other opens.
std::optional<Outcome> access_by_sieving(const Ground& ground, const Access& access, std::size_t done,
                                         const SieveStep& step);

}  // namespace bowline::mpiio
