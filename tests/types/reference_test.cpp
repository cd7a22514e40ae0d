// SPDX-License-Identifier: BSD-3-Clause
// The reference itself, held against the examples that the standard works out beside the definitions.
#include <gtest/gtest.h>

#include "types/tree.hpp"

namespace types {

namespace {

constexpr Basic flt = Basic::real, dbl = Basic::double_real, chr = Basic::character;

Tree named(const std::string& name) {
  std::size_t index = 0;
  while (all_named()[index].name != name) ++index;
  return {Combiner::named, index, {}, {}, {}};
}

std::vector<std::pair<Basic, std::int64_t>> listed(const Tree& tree) {
  std::vector<std::pair<Basic, std::int64_t>> entries;
  for (const Entry& entry : map_of(tree).entries) entries.emplace_back(entry.basic, entry.at);
  return entries;
}

using Listed = std::vector<std::pair<Basic, std::int64_t>>;

// {(double, 0), (char, 8)}, of extent 16.
Tree double_char() {
  return {Combiner::structure, 0, {2, 1, 1}, {0, 8}, {named("MPI_DOUBLE"), named("MPI_CHAR")}};
}

TEST(TypeMap, ExtentIsRoundedUpToTheStrictestAlignment) {
  EXPECT_EQ(map_of(double_char()).bounds(), (Interval{0, 16}));
  EXPECT_EQ(map_of({Combiner::hvector, 0, {2, 1}, {6}, {named("MPI_INT")}}).bounds(), (Interval{0, 12}));
  EXPECT_EQ(map_of({Combiner::hvector, 0, {2, 1}, {-6}, {named("MPI_INT")}}).bounds(), (Interval{-6, 6}));
}

// The extents of other implementations for these are 463, without the rounding at the end, and 480.
TEST(TypeMap, PaddingOfAnInnerTypeCountsUnlessToTheLetter) {
  const Tree inner{Combiner::hvector, 0, {3, 4}, {25}, {named("MPI_INT")}};
  EXPECT_EQ(map_of(inner).bounds(), (Interval{0, 68}));
  const Tree outer{Combiner::hvector, 0, {2, 3}, {4 * 68 + 1}, {inner}};
  EXPECT_EQ(map_of(outer).bounds(), (Interval{0, 480}));
  padding_counts = false;
  const Interval to_the_letter = map_of(outer).bounds();
  padding_counts = true;
  EXPECT_EQ(to_the_letter, (Interval{0, 476}));
}

TEST(TypeMap, Contiguous) {
  EXPECT_EQ(listed({Combiner::contiguous, 0, {3}, {}, {double_char()}}),
            (Listed{{dbl, 0}, {chr, 8}, {dbl, 16}, {chr, 24}, {dbl, 32}, {chr, 40}}));
}

TEST(TypeMap, Vector) {
  EXPECT_EQ(listed({Combiner::vector, 0, {2, 3, 4}, {}, {double_char()}}), (Listed{{dbl, 0},
                                                                                   {chr, 8},
                                                                                   {dbl, 16},
                                                                                   {chr, 24},
                                                                                   {dbl, 32},
                                                                                   {chr, 40},
                                                                                   {dbl, 64},
                                                                                   {chr, 72},
                                                                                   {dbl, 80},
                                                                                   {chr, 88},
                                                                                   {dbl, 96},
                                                                                   {chr, 104}}));
  EXPECT_EQ(listed({Combiner::vector, 0, {3, 1, -2}, {}, {double_char()}}),
            (Listed{{dbl, 0}, {chr, 8}, {dbl, -32}, {chr, -24}, {dbl, -64}, {chr, -56}}));
}

TEST(TypeMap, Indexed) {
  EXPECT_EQ(listed({Combiner::indexed, 0, {2, 3, 1, 4, 0}, {}, {double_char()}}),
            (Listed{{dbl, 64}, {chr, 72}, {dbl, 80}, {chr, 88}, {dbl, 96}, {chr, 104}, {dbl, 0}, {chr, 8}}));
}

TEST(TypeMap, Struct) {
  const Tree tree{
      Combiner::structure, 0, {3, 2, 1, 3}, {0, 16, 26}, {named("MPI_FLOAT"), double_char(), named("MPI_CHAR")}};
  EXPECT_EQ(listed(tree), (Listed{{flt, 0}, {flt, 4}, {dbl, 16}, {chr, 24}, {chr, 26}, {chr, 27}, {chr, 28}}));
}

TEST(TypeMap, MarkersReplaceTheBoundsOfTheData) {
  const Tree resized{Combiner::resized, 0, {}, {-3, 9}, {named("MPI_INT")}};
  EXPECT_EQ(map_of(resized).bounds(), (Interval{-3, 6}));
  const Tree two{Combiner::contiguous, 0, {2}, {}, {resized}};
  EXPECT_EQ(map_of(two).bounds(), (Interval{-3, 15}));
  EXPECT_EQ(map_of(two).true_bounds(), (Interval{0, 13}));
  // Where there is a marker, data without one moves no bound.
  const Tree beside{Combiner::structure, 0, {2, 1, 1}, {0, 100}, {resized, named("MPI_INT")}};
  EXPECT_EQ(map_of(beside).bounds(), (Interval{-3, 6}));
}

TEST(TypeMap, SubarraysAndDistributedArraysHaveTheBoundsOfTheWholeArray) {
  const Tree subarray{Combiner::subarray, 0, {2, 3, 4, 2, 2, 1, 0, order_c}, {}, {named("MPI_FLOAT")}};
  EXPECT_EQ(listed(subarray), (Listed{{flt, 16}, {flt, 20}, {flt, 32}, {flt, 36}}));
  EXPECT_EQ(map_of(subarray).bounds(), (Interval{0, 48}));
  const Tree darray{
      Combiner::darray, 0, {2, 1, 1, 5, distribute_cyclic, default_argument, 2, order_c}, {}, {named("MPI_FLOAT")}};
  EXPECT_EQ(listed(darray), (Listed{{flt, 4}, {flt, 12}}));
  EXPECT_EQ(map_of(darray).bounds(), (Interval{0, 20}));
}

}  // namespace

}  // namespace types
