// SPDX-License-Identifier: BSD-3-Clause
// coll/slots: how data are divided into pieces, and that members wait for nobody whom they do not need.
#include "coll/slots/slot_chunks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "coll/algorithms/through_slots.hpp"
#include "predefined_handles.hpp"
#include "slot_channel.hpp"

namespace bowline::coll {
namespace {

constexpr std::size_t long_slot = 256 << 10;

class IdleHost final : public SlotHost {
  void watch(proto::Watch&, int) override {}
  void wake(int) noexcept override {}
  void back(std::span<std::byte>) override {}
};

/// A slot as long as real ones are.
class LongSlot : public testing::Test {
 protected:
  /// That all pieces together are the data, and lie within the slot, and not where another piece of the last `parts()`
  /// rounds lies.
  void check(const SlotChunks& chunks, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    std::size_t all = 0;
    for (std::uint64_t round = 0; round < chunks.rounds(); ++round) {
      const std::span<std::byte> piece = chunks.of(std::span(data), round);
      EXPECT_EQ(piece.data(), data.data() + all);
      all += piece.size();
      const std::byte* const place = chunks.at(0, round);
      EXPECT_LE(place + piece.size(), slots.slot(0) + long_slot);
      if (round % chunks.parts() != 0) {
        EXPECT_GE(place, chunks.at(0, round - 1) + chunks.of(std::span(data), round - 1).size());
      }
    }
    EXPECT_EQ(all, bytes);
  }

  std::vector<Line> lines{SlotMemory::bytes_for(1, long_slot) / sizeof(Line)};
  IdleHost host;
  SlotMemory memory{{lines.front().bytes, lines.size() * sizeof(Line)}, 0, 1, long_slot, host};
  Slots slots{memory, 0, CallId{}, 0};
};

TEST_F(LongSlot, DataOfMediumLengthHaveSeveralPiecesOnlyIfTheseOverlap) {
  for (const std::size_t bytes : {9'000U, 65'536U, 131'072U}) {
    EXPECT_EQ(SlotChunks(slots, bytes).rounds(), 1U) << bytes;
    EXPECT_GT(SlotChunks(slots, bytes, 1, Pieces::overlapping).rounds(), 1U) << bytes;
    EXPECT_LE(SlotChunks(slots, bytes, 1, Pieces::overlapping).rounds(), 4U) << bytes;
  }
  EXPECT_EQ(SlotChunks(slots, 8192, 1, Pieces::overlapping).rounds(), 1U);
}

TEST_F(LongSlot, PiecesAreTheDataAndDoNotLieOnEachOther) {
  for (const std::size_t element : {1U, 8U, 24U, 1000U}) {
    for (const std::size_t elements : {1U, 40U, 41U, 3000U, 10'000U, 16'384U, 70'000U}) {
      const std::size_t bytes = element * elements;
      check(SlotChunks(slots, bytes, element), bytes);
      check(SlotChunks(slots, bytes, element, Pieces::overlapping), bytes);
    }
  }
}

TEST(ReduceScatter, AMemberWithoutAPartWaitsForNobody) {
  std::vector<Line> lines(SlotMemory::bytes_for(2, SlotChannel::slot_bytes) / sizeof(Line));
  const std::span<std::byte> shared{lines.front().bytes, lines.size() * sizeof(Line)};
  SlotChannel with(shared, 0, 2), without(shared, 1, 2);
  const std::array<Block, 2> blocks = {{{0, sizeof(int)}, {sizeof(int), 0}}};
  int mine = 3, theirs = 4, sum = 0;
  const Reduction reduction = predefined(mpi_sum, mpi_int);
  const auto bytes = [](int& value) { return std::as_writable_bytes(std::span(&value, 1)); };
  without.begin(true, 0);
  const Arguments nothing{.input = bytes(theirs), .receive = Blocks(nullptr, blocks.data()), .reduction = &reduction};
  Task passing = reduce_scatter_slots(without, nothing);
  EXPECT_TRUE(passing.done());  // the other one has not begun
  with.begin(true, 0);
  const Arguments all{
      .input = bytes(mine), .result = bytes(sum), .receive = Blocks(nullptr, blocks.data()), .reduction = &reduction};
  Task adding = reduce_scatter_slots(with, all);
  EXPECT_TRUE(adding.done());
  EXPECT_EQ(sum, 7);
}

}  // namespace
}  // namespace bowline::coll
