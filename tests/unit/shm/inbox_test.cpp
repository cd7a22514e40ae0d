// SPDX-License-Identifier: BSD-3-Clause
// shm/inbox: the layout of an inbox: its rings lie on pages of their own and do not overlap.
#include "shm/inbox.hpp"

#include <gtest/gtest.h>

namespace bowline::shm {
namespace {

TEST(Inbox, RingsLieOnPagesOfTheirOwn) {
  for (const std::size_t lines : {128, 2048, 1 << 20}) {
    EXPECT_GE(ring_offset(0, lines), sizeof(InboxHeader));
    EXPECT_GE(ring_stride(lines), ring_bytes(lines));
    for (std::size_t i = 0; i < 100; ++i) {
      EXPECT_EQ(ring_offset(i, lines) % page_bytes, 0U);
      EXPECT_GE(ring_offset(i + 1, lines), ring_offset(i, lines) + ring_bytes(lines));
    }
  }
}

TEST(Inbox, SectionsFollowEachOther) {
  for (const std::size_t ranks : {1, 3, 100}) {
    constexpr std::size_t lines = 2048;
    EXPECT_EQ(section_offset(0, ranks, lines), 0U);
    for (unsigned lane = 0; lane < 16; ++lane) {
      const std::size_t end =
          section_offset(lane, ranks, lines) + copy_buffers_offset(ranks, lines) + CopyBufferArea::bytes;
      EXPECT_EQ(section_offset(lane + 1, ranks, lines), end);
      EXPECT_EQ(end % page_bytes, 0U);
    }
  }
}

TEST(Inbox, TheHeaderFitsItsPage) {
  EXPECT_LE(sizeof(InboxHeader), page_bytes);
}

TEST(Inbox, OffsetsOfManyLargeRingsDoNotWrap) {
  constexpr std::size_t lines = (64 << 20) / line_bytes;  // the largest that the tunable allows
  EXPECT_GT(ring_offset(InboxHeader::max_rings, lines), (InboxHeader::max_rings * lines) * line_bytes);
}

}  // namespace
}  // namespace bowline::shm
