// SPDX-License-Identifier: BSD-3-Clause
// Members that disagree about the length of the data, in the algorithms through shared memory that hear of it: who has
// too little room gets MPI_ERR_TRUNCATE, nobody waits forever, and nothing is written behind a buffer.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "coll/algorithms/reduce/reduce.hpp"
#include "coll/algorithms/through_slots.hpp"
#include "model.hpp"
#include "predefined_handles.hpp"
#include "reference.hpp"
#include "support/seed.hpp"
#include "support/untouched.hpp"

namespace bowline::coll {
namespace {

using test::untouched;

constexpr int members = 4, root = 1, other = 2;
// Below, in and above what inline data, one round and a slot of the model hold.
constexpr std::size_t tried_lengths[] = {8, 40, 200, 512, 800, 9000, 40'000};

Task note_error(Channel& channel, Run algorithm, const Arguments& arguments, std::optional<ErrorClass>& error) {
  try {
    Task running = algorithm(channel, arguments);
    co_await running;
  } catch (const Error& thrown) {
    error = thrown.error_class();
  }
}

using Errors = std::vector<std::optional<ErrorClass>>;

/// What each member gets if `other` gives another length than the rest.
class Disagreement {
 public:
  Disagreement(std::size_t usual, std::size_t others) : usual_(usual), others_(others) {
    for (int member = 0; member < members; ++member) {
      const std::size_t bytes = length(member);
      own.push_back(pattern(1, member, bytes));
      room.emplace_back(bytes + 64, untouched);
      arguments.push_back({.root = root, .input = own.back(), .result = std::span(room.back()).first(bytes)});
    }
    all.assign(usual * members, std::byte{1});
  }
  std::size_t length(int member) const { return member == other ? others_ : usual_; }
  Blocks blocks() { return {all.data(), usual_}; }

  Errors run(coll::Run algorithm, std::uint32_t seed) {
    Errors errors(members);
    Model model(members, seed);
    model.run([&](Channel& channel) {
      const auto rank = static_cast<std::size_t>(channel.rank());
      return note_error(channel, algorithm, arguments[rank], errors[rank]);
    });
    for (int member = 0; member < members; ++member) {
      const Bytes& buffer = room[static_cast<std::size_t>(member)];
      for (std::size_t i = length(member); i < buffer.size(); ++i)
        EXPECT_EQ(buffer[i], untouched) << "written behind the buffer of member " << member;
    }
    return errors;
  }

  std::vector<Bytes> own, room;
  std::vector<Arguments> arguments;
  Bytes all;

 private:
  std::size_t usual_, others_;
};

/// Every pair of lengths that differ, with every seed.
void for_all_pairs(const std::function<void(std::size_t usual, std::size_t others, std::uint32_t seed)>& check) {
  for (const std::uint32_t first : test::seeds()) {
    for (const std::uint32_t seed : {2 * first, 2 * first + 1}) {  // with and without reach
      for (const std::size_t usual : tried_lengths) {
        for (const std::size_t others : tried_lengths) {
          if (usual == others) continue;
          SCOPED_TRACE(std::to_string(others) + " bytes at one member, " + std::to_string(usual) +
                       " at the others, seed " + std::to_string(seed));
          check(usual, others, seed);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

/// Only `at` may be refused, and is if it has too little room.
void expect_truncated(const Errors& errors, int at, bool refused) {
  for (int member = 0; member < members; ++member) {
    const auto& error = errors[static_cast<std::size_t>(member)];
    if (member != at || !refused) {
      EXPECT_FALSE(error.has_value()) << "at member " << member;
    } else {
      EXPECT_EQ(error, ErrorClass::truncate);
    }
  }
}

TEST(Lengths, OfABroadcastAreTheRoots) {
  for (const coll::Run algorithm : {bcast_slots, bcast_single_copy}) {
    for_all_pairs([algorithm](std::size_t usual, std::size_t others, std::uint32_t seed) {
      Disagreement now(usual, others);
      expect_truncated(now.run(algorithm, seed), other, others < usual);
    });
  }
}

TEST(Lengths, OfAScatterAreTheRoots) {
  for (const coll::Run algorithm : {scatter_slots, scatter_single_copy}) {
    for_all_pairs([algorithm](std::size_t usual, std::size_t others, std::uint32_t seed) {
      Disagreement now(usual, others);
      now.arguments[root].send = now.blocks();
      expect_truncated(now.run(algorithm, seed), other, others < usual);
    });
  }
}

TEST(Lengths, OfAGatherAreThoseOfWhoGives) {
  for (const coll::Run algorithm : {gather_slots, gather_single_copy}) {
    for_all_pairs([algorithm](std::size_t usual, std::size_t others, std::uint32_t seed) {
      Disagreement now(usual, others);
      now.arguments[root].receive = now.blocks();
      expect_truncated(now.run(algorithm, seed), root, others > usual);
      const Bytes last = pattern(1, 3, usual);
      EXPECT_TRUE(std::ranges::equal(now.blocks()[3], last)) << "a block that fits is missing";
    });
  }
}

TEST(Lengths, OfReductionsFromBuffersMustBeTheSame) {
  const Reduction sum = predefined(mpi_sum, mpi_int64);
  for (const coll::Run algorithm : {reduce_single_copy, scan_single_copy, exscan_single_copy}) {
    for_all_pairs([&](std::size_t usual, std::size_t others, std::uint32_t seed) {
      if (seed % 2 != 0) return;  // without reach others serve, which are not told lengths
      Disagreement now(usual, others);
      for (Arguments& each : now.arguments) each.reduction = &sum;
      const Errors errors = now.run(algorithm, seed);
      EXPECT_EQ(errors[algorithm == reduce_single_copy ? std::size_t{root} : std::size_t{other}], ErrorClass::truncate);
    });
  }
}

}  // namespace
}  // namespace bowline::coll
