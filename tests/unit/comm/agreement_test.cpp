// SPDX-License-Identifier: BSD-3-Clause
// comm/agreement: all members find the same free index, whatever each of them has in use, or all hear that there is
// none.
#include "comm/agreement.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/seed.hpp"
#include "unit/coll/model.hpp"

namespace bowline::comm {
namespace {

/// Members with an index space each, who agree again and again.
class Members {
 public:
  explicit Members(int size, std::size_t limit = IndexSpace::size) : lanes_(static_cast<std::size_t>(size), 1) {
    for (int rank = 0; rank < size; ++rank) spaces_.emplace_back(limit);
  }
  IndexSpace& space(int rank) { return spaces_[static_cast<std::size_t>(rank)]; }
  void set_lanes(int rank, unsigned lanes) { lanes_[static_cast<std::size_t>(rank)] = lanes; }

  /// What each member has found; a member that was told of an error has the index `none`.
  std::vector<ContextId> agree(std::uint32_t seed, std::uint32_t start) {
    std::vector<ContextId> names(spaces_.size());
    coll::Model model(static_cast<int>(spaces_.size()), seed);
    model.run([&](coll::Channel& channel) {
      const auto rank = static_cast<std::size_t>(channel.rank());
      return try_to_agree(channel, spaces_[rank], start, lanes_[rank], names[rank]);
    });
    return names;
  }
  static constexpr std::uint32_t none = ~0U;

 private:
  static Task try_to_agree(coll::Channel& channel, IndexSpace& space, std::uint32_t start, unsigned lanes,
                           ContextId& name) {
    try {
      Task agreed = comm::agree(channel, space, start, lanes, name);
      co_await agreed;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::other);
      EXPECT_NE(std::string(error.what()).find("too many communicators are alive"), std::string::npos) << error.what();
      name.index = none;
    }
  }

  std::deque<IndexSpace> spaces_;
  std::vector<unsigned> lanes_;
};

/// The index that all have agreed on.
std::uint32_t common(const std::vector<ContextId>& names) {
  for (const ContextId& name : names) {
    EXPECT_EQ(name.index, names[0].index);
    EXPECT_EQ(name.lane, names[0].lane);
  }
  return names[0].index;
}

TEST(Agreement, FindsAnIndexThatNobodyUses) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : {1, 2, 3, 5, 8}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members");
      Members members(size);
      std::mt19937 random(seed);
      // Members have other communicators, each with some of the others.
      std::set<std::uint32_t> in_use;
      for (int i = 0; i < 100; ++i) {
        const std::uint32_t index = IndexSpace::index(7, 3 + random() % (IndexSpace::class_size - 3));
        if (!in_use.insert(index).second) continue;
        members.space(static_cast<int>(random() % static_cast<unsigned>(size))).take(index);
      }
      for (int i = 0; i < 20; ++i) {
        const std::uint32_t index = common(members.agree(seed, 7));
        EXPECT_TRUE(in_use.insert(index).second) << "index " << index << " was given twice";
      }
    }
  }
}

TEST(Agreement, GoesOnToTheNextClassWhenOneIsUsedUp) {
  Members members(3);
  for (std::uint32_t bit = 0; bit < IndexSpace::class_size; ++bit) {
    members.space(static_cast<int>(bit % 3)).take(IndexSpace::index(9, bit));
  }
  EXPECT_EQ(common(members.agree(1, 9)) % IndexSpace::classes, 10U);
}

TEST(Agreement, AvoidsAClassThatAnotherAgreementHolds) {
  Members members(3);
  ASSERT_TRUE(members.space(1).hold(9));
  EXPECT_EQ(common(members.agree(1, 9)) % IndexSpace::classes, 10U);
  members.space(1).let_go(9);
  EXPECT_EQ(common(members.agree(1, 9)) % IndexSpace::classes, 9U);
}

TEST(Agreement, TakesAsManyLanesAsTheMemberThatHasFewest) {
  Members members(3);
  members.set_lanes(0, 4);
  members.set_lanes(1, 2);
  members.set_lanes(2, 8);
  std::set<unsigned> lanes;
  for (std::uint32_t start = 20; start < 30; ++start) {
    const auto names = members.agree(1, start);
    common(names);
    lanes.insert(names[0].lane);
  }
  EXPECT_EQ(lanes, (std::set<unsigned>{0, 1}));
}

TEST(Agreement, AnIndexThatIsUsedAgainHasALaterGeneration) {
  Members members(3), others(2);
  for (int i = 0; i < 1000; ++i) {  // a process that has made many with others, who are not members here
    const std::uint32_t index = common(others.agree(1, 7));
    for (const int rank : {0, 1}) others.space(rank).give_back(index);
  }
  members.space(2).note_generation(7, others.space(0).generation(7));
  std::uint32_t latest = 1000;
  for (int i = 0; i < 20; ++i) {
    const auto names = members.agree(1, 7);
    const std::uint32_t index = common(names);
    EXPECT_EQ(index, 7U);
    for (const ContextId& name : names) EXPECT_EQ(name.generation, names[0].generation);
    EXPECT_GT(names[0].generation, latest);
    latest = names[0].generation;
    for (int rank = 0; rank < 3; ++rank) members.space(rank).give_back(index);
  }
}

TEST(Agreement, TellsAllMembersWhenOneHasNoneLeft) {
  Members members(3);
  IndexSpace& full = members.space(2);
  for (std::uint32_t index = IndexSpace::meeting_place + 1; index < IndexSpace::size; ++index) full.take(index);
  EXPECT_EQ(common(members.agree(1, 5)), Members::none);
  full.give_back(1234);
  EXPECT_EQ(common(members.agree(1, 5)), 1234U);
}

TEST(Agreement, KeepsToTheLimit) {
  Members members(2, 5);
  for (int i = 0; i < 5; ++i) EXPECT_NE(common(members.agree(1, 5)), Members::none);
  EXPECT_EQ(common(members.agree(1, 5)), Members::none);
}

}  // namespace
}  // namespace bowline::comm
