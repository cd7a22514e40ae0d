// SPDX-License-Identifier: BSD-3-Clause
// The agreement of members of which some fail at any moment. A simulated network carries their messages.
#include "comm/survival/uniform_agreement.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/seed.hpp"

namespace bowline::comm {
namespace {

/// Members 0 to size-1, each with a random flag. Messages between two members stay in order; all else happens in random
/// order.
class World {
 public:
  World(int size, std::uint32_t seed, bool loses) : size_(size), random_(seed), loses_(loses) {
    for (int rank = 0; rank < size; ++rank) {
      members_.push_back(std::make_unique<UniformAgreement>(
          size, rank, [this, rank](int to, UniformAgreement::Message message, const Vote& vote) {
            channel(rank, to).push_back({message, vote});
          }));
      votes_.push_back({.flags = {below(4) == 0 ? 5U : 7U, ~0U}});
    }
    joined_.resize(count(size));
    living_.assign(count(size), true);
  }

  /// Lets random things happen until all living members have a result. `deaths`: how many members fail at most.
  /// Returns whether they have got it.
  bool run(int deaths) {
    for (int step = 0; step < 2000 * size_; ++step) {
      if (deaths > 0 && below(3 * size_) == 0) {
        kill(below(size_));
        --deaths;
      }
      act();
      if (all_ended()) return true;
    }
    return false;
  }

  /// The results of the members that live, or that have ever got one (`of_dead`).
  std::vector<const Vote*> results(bool of_dead) const {
    std::vector<const Vote*> found;
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
      if (const Vote* const result = members_[rank]->result(); result != nullptr && (living_[rank] || of_dead))
        found.push_back(result);
    }
    return found;
  }
  /// The AND of the flags of the living members that have voted, a bound of each right result.
  std::uint32_t bound() const {
    std::uint32_t all = ~0U;
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
      if (living_[rank]) all &= votes_[rank].flags[0];
    }
    return all;
  }
  bool lives(int rank) const { return living_[index(rank)]; }
  int living() const { return static_cast<int>(std::ranges::count(living_, true)); }

 private:
  using Sent = std::pair<UniformAgreement::Message, Vote>;
  static std::size_t count(int number) { return static_cast<std::size_t>(number); }
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  int below(int bound) { return static_cast<int>(random_() % static_cast<std::uint32_t>(bound)); }
  std::deque<Sent>& channel(int from, int to) { return channels_[{from, to}]; }

  void kill(int rank) {
    if (living() == 1) return;
    living_[index(rank)] = false;
    if (!loses_) return;
    for (int to = 0; to < size_; ++to) {  // what has not left is lost
      auto& messages = channel(rank, to);
      messages.resize(static_cast<std::size_t>(below(static_cast<int>(messages.size()) + 1)));
    }
  }

  /// One random member joins, takes its oldest message from another one, or learns that the other one has failed.
  void act() {
    const int rank = below(size_);
    const int other = below(size_);
    if (!living_[index(rank)]) return;
    UniformAgreement& member = *members_[index(rank)];
    if (!joined_[index(rank)]) {
      if (below(4) == 0) {
        joined_[index(rank)] = true;
        member.join(votes_[index(rank)]);
      } else if (!living_[index(other)] && channel(other, rank).empty()) {
        member.failed(other);
      }
      return;
    }
    auto& messages = channel(other, rank);
    if (!messages.empty()) {
      const Sent sent = std::move(messages.front());
      messages.pop_front();
      return member.arrived(other, sent.first, sent.second);
    }
    // A member looks only at those for which it waits.
    const std::vector<int> awaited = member.awaited();
    if (!living_[index(other)] && std::ranges::find(awaited, other) != awaited.end()) member.failed(other);
  }

  bool all_ended() const {
    for (std::size_t rank = 0; rank < members_.size(); ++rank) {
      if (living_[rank] && members_[rank]->result() == nullptr) return false;
    }
    return true;
  }

  const int size_;
  std::mt19937 random_;
  const bool loses_;
  std::vector<bool> joined_;
  std::vector<bool> living_;
  std::vector<Vote> votes_;
  std::vector<std::unique_ptr<UniformAgreement>> members_;
  std::map<std::pair<int, int>, std::deque<Sent>> channels_;
};

void expect_one_result(const std::vector<const Vote*>& results) {
  for (const Vote* const result : results) {
    EXPECT_EQ(result->flags[0], results.front()->flags[0]);
    EXPECT_EQ(result->failed, results.front()->failed);
    EXPECT_EQ(result->acknowledged, results.front()->acknowledged);
  }
}

TEST(UniformAgreement, EndsWithTheAndOfAllVotesIfNobodyFails) {
  for (const std::uint32_t seed : test::seeds()) {
    for (int size = 1; size <= 17; ++size) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members");
      World world(size, seed, false);
      ASSERT_TRUE(world.run(0));
      const auto results = world.results(false);
      ASSERT_EQ(std::ssize(results), size);
      expect_one_result(results);
      EXPECT_EQ(results.front()->flags[0], world.bound());
      EXPECT_TRUE(results.front()->failed.empty());
    }
  }
}

TEST(UniformAgreement, IsTheSameAtAllThatLiveWhoeverFailsMeanwhile) {
  for (const std::uint32_t base : test::seeds()) {
    for (std::uint32_t round = 0; round < 1500; ++round) {
      const std::uint32_t seed = base + round;
      const int size = 2 + static_cast<int>(round % 15);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members");
      World world(size, seed, true);
      ASSERT_TRUE(world.run(size - 1));
      const auto results = world.results(false);
      ASSERT_EQ(std::ssize(results), world.living());
      expect_one_result(results);
      EXPECT_EQ(results.front()->flags[0] & ~world.bound(), 0U) << "the vote of a living member is missing";
      for (const int failed : results.front()->failed) EXPECT_FALSE(world.lives(failed));
    }
  }
}

TEST(UniformAgreement, IsTheSameAtOneThatFailsLaterIfItsMessagesArrive) {
  for (const std::uint32_t base : test::seeds()) {
    for (std::uint32_t round = 0; round < 1500; ++round) {
      const std::uint32_t seed = base + round;
      const int size = 2 + static_cast<int>(round % 15);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members");
      World world(size, seed, false);
      ASSERT_TRUE(world.run(1));
      expect_one_result(world.results(true));
    }
  }
}

TEST(Vote, KnowsNewsFromAcknowledgedFailures) {
  Vote vote{.failed = {2, 5}, .acknowledged = {2, 5}};
  EXPECT_FALSE(vote.has_news());
  vote.add({.failed = {}, .acknowledged = {2}});
  EXPECT_EQ(vote.acknowledged, std::vector{2});
  EXPECT_TRUE(vote.has_news());
  vote.note_failed(1);
  vote.note_failed(5);
  EXPECT_EQ(vote.failed, (std::vector{1, 2, 5}));
}

TEST(Vote, SaysThatMembersHaveCalledDifferentFunctions) {
  Vote vote{.form = Vote::Form::shrink, .offer = IndexOffer()};
  vote.add({.form = Vote::Form::agree});
  EXPECT_EQ(vote.form, Vote::Form::mixed);
  EXPECT_FALSE(vote.offer.has_value());
}

}  // namespace
}  // namespace bowline::comm
