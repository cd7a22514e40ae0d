// SPDX-License-Identifier: BSD-3-Clause
// mpiio/sharing/range_board: writers of one part of a file take turns, and a writer that has ended keeps nobody
// waiting.
#include "mpiio/sharing/range_board.hpp"

#include "base/cpu_relax.hpp"
#include "explore.hpp"
#include "node/one_process.hpp"

namespace bowline::mpiio {
namespace {

using Access = RangeBoard::Access;

constexpr int processes = 3;
constexpr std::size_t most_bytes = 4096;

struct Board {
  Board() {
    RL_ASSERT(RangeBoard::bytes_for(processes) <= most_bytes);
    model::ended = {};
    for (int rank = 0; rank < processes; ++rank)
      boards[static_cast<std::size_t>(rank)].emplace(memory, rank, processes, rank + 1);
  }
  alignas(64) std::array<std::byte, most_bytes> memory{};
  std::array<std::optional<RangeBoard>, processes> boards;
};

/// A plain writer and two exclusive ones write to a file of two bytes. Each byte must be written under some order.
struct Written : model::Suite<Written, processes> {
  Board board;
  std::array<model::Plain<int>, 2> file;

  void run(unsigned index) {
    RangeBoard& own = *board.boards[index];
    const Access kind = index == 0 ? Access::plain : Access::exclusive;
    for (int round = 0; round < 2; ++round) write(own, (round + static_cast<int>(rl::rand(2))) % 2, kind);
  }
  void write(RangeBoard& own, int byte, Access kind) {
    words.stall_after(1 + static_cast<int>(rl::rand(32)));
    const RangeBoard::Hold hold(own, {byte, byte + 1}, kind);
    file[static_cast<std::size_t>(byte)].set(1);
  }
};

TEST(RangeBoard, WritersOfOnePartTakeTurns) {
  model::explore<Written>(20'000);
}

/// One exclusive writer ends at any of its accesses, also while it holds its part. A plain and an exclusive writer must
/// not wait for it for ever.
struct Bereft : model::Suite<Bereft, processes> {
  Board board;
  std::array<model::Plain<int>, 2> file;

  void run(unsigned index) {
    RangeBoard& own = *board.boards[index];
    if (index == 0) return end(own);
    for (const Offset byte : {0, 1}) {
      const RangeBoard::Hold hold(own, {byte, byte + 1}, index == 1 ? Access::plain : Access::exclusive);
      file[static_cast<std::size_t>(byte)].set(1);
    }
  }
  void end(RangeBoard& own) {
    words.end_after(1 + static_cast<int>(rl::rand(12)));
    try {
      alignas(RangeBoard::Hold) std::array<std::byte, sizeof(RangeBoard::Hold)> held;
      new (held.data()) RangeBoard::Hold(own, {0, 2}, rl::rand(2) == 0 ? Access::plain : Access::exclusive);
    } catch (const model::Ended&) {
    }
    words.end_after(0);
    model::ended[1] = true;
  }
};

TEST(RangeBoard, NobodyWaitsForAWriterThatHasEnded) {
  model::explore<Bereft>(5'000);
}

}  // namespace
}  // namespace bowline::mpiio
