// SPDX-License-Identifier: BSD-3-Clause
// Counts that come in with 32 or 64 bits and go out with either.
#include "api/entry/count_array.hpp"

#include <gtest/gtest.h>

#include <array>

namespace bowline::api {
namespace {

TEST(CountArray, ReadsTheNarrowArrayOfTheCaller) {
  const std::array<int, 3> counts{7, 0, -2};
  const CountArray view(counts.data());
  EXPECT_EQ(view[0], 7);
  EXPECT_EQ(view[1], 0);
  EXPECT_EQ(view[2], -2);
}

TEST(CountArray, ReadsTheWideArrayOfTheCaller) {
  const std::array<MPI_Count, 2> counts{MPI_Count{1} << 40, -1};
  const CountArray view(counts.data());
  EXPECT_EQ(view[0], MPI_Count{1} << 40);
  EXPECT_EQ(view[1], -1);
}

TEST(CountArray, SeesChangesOfTheCaller) {
  std::array<int, 1> counts{1};
  const CountArray view(counts.data());
  counts[0] = 5;
  EXPECT_EQ(view[0], 5);
}

TEST(CountArray, KnowsANullPointerOfEitherWidth) {
  EXPECT_TRUE(CountArray(static_cast<const int*>(nullptr)).is_null());
  EXPECT_TRUE(CountArray(static_cast<const MPI_Count*>(nullptr)).is_null());
  const int count = 0;
  EXPECT_FALSE(CountArray(&count).is_null());
}

TEST(Narrow, KeepsWhatFitsAndElseIsUndefined) {
  EXPECT_EQ(narrow(0), 0);
  EXPECT_EQ(narrow(INT_MAX), INT_MAX);
  EXPECT_EQ(narrow(MPI_Count{INT_MAX} + 1), MPI_UNDEFINED);
  EXPECT_EQ(narrow(MPI_UNDEFINED), MPI_UNDEFINED);
  EXPECT_EQ(narrow(MPI_Count{INT_MIN} - 1), MPI_UNDEFINED);
}

}  // namespace
}  // namespace bowline::api
