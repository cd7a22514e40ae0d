// SPDX-License-Identifier: BSD-3-Clause
// coll/check: whoever differs, every member hears of the same two calls, and nobody begins; equal calls are carried
// out.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "coll/calls/call_comparison.hpp"
#include "dtype/predefined.hpp"
#include "model.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

Task count(int& begun) {
  ++begun;
  co_return;
}

/// Keeps what the check says.
Task note(Channel& channel, Call mine, int& begun, std::string& said) {
  try {
    Task whole = checked(channel, mine, count(begun));
    co_await whole;
  } catch (const Error& error) {
    said = error.what();
  }
}

/// What each member hears if member i calls calls[i].
std::vector<std::string> heard(const std::vector<Call>& calls, std::uint32_t seed, int& begun) {
  std::vector<std::string> said(calls.size());
  Model model(static_cast<int>(calls.size()), seed);
  model.run([&](Channel& channel) {
    const auto rank = static_cast<std::size_t>(channel.rank());
    return note(channel, calls[rank], begun, said[rank]);
  });
  return said;
}

std::vector<Call> broadcasts(int size) {
  std::vector<Call> calls;
  for (int rank = 0; rank < size; ++rank) {
    calls.push_back(describe_inter(rank, Operation::bcast, CallForm::blocking, {}));
    calls.back().root = 3;
    calls.back().bytes = 8;
    calls.back().knows_bytes = true;
  }
  return calls;
}

TEST(Check, EqualCallsAreCarriedOut) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : team_sizes()) {
      int begun = 0;
      for (const std::string& said : heard(broadcasts(size), seed, begun)) EXPECT_EQ(said, "");
      EXPECT_EQ(begun, size);
    }
  }
}

TEST(Check, AllHearOfTheFirstTwoThatDiffer) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : team_sizes()) {
      for (int odd = 0; odd < size && size > 1; ++odd) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", member " + std::to_string(odd) + " of " +
                     std::to_string(size));
        std::vector<Call> calls = broadcasts(size);
        calls[static_cast<std::size_t>(odd)].root = 4;
        calls.back().root = odd == 0 ? 3 : 4;  // a second one, where the first is not rank 0
        int begun = 0;
        const std::string expected =
            odd == 0 ? "rank 0 calls MPI_Bcast with 8 bytes, root 4, but rank 1 calls MPI_Bcast with 8 bytes, root 3: "
                       "all must give the same root"
                     : "rank 0 calls MPI_Bcast with 8 bytes, root 3, but rank " + std::to_string(odd) +
                           " calls MPI_Bcast with 8 bytes, root 4: all must give the same root";
        for (const std::string& said : heard(calls, seed, begun)) ASSERT_EQ(said, expected);
        ASSERT_EQ(begun, 0);
      }
    }
  }
}

TEST(Check, ProcessesBesideTheRootOfAnIntercommunicatorGiveNothingToCompare) {
  const Reduction sum{*dtype::predefined_op(0x21), *dtype::predefined_datatype(0x258)};
  const Reduction maximum{*dtype::predefined_op(0x23), *dtype::predefined_datatype(0x258)};
  std::vector<Call> calls;
  for (int rank = 0; rank < 4; ++rank) {
    const bool beside = rank < 2;
    const Arguments arguments{.root = beside ? -1 : 2, .reduction = beside ? nullptr : &sum};
    calls.push_back(describe_inter(rank, Operation::reduce, CallForm::blocking, arguments));
  }
  int begun = 0;
  for (const std::string& said : heard(calls, 1, begun)) EXPECT_EQ(said, "");
  EXPECT_EQ(begun, 4);
  calls[3] = describe_inter(3, Operation::reduce, CallForm::blocking, {.root = 2, .reduction = &maximum});
  for (const std::string& said : heard(calls, 1, begun)) {
    EXPECT_NE(said.find("rank 2 calls MPI_Reduce, MPI_SUM"), std::string::npos) << said;
    EXPECT_NE(said.find("but rank 3 calls MPI_Reduce, MPI_MAX"), std::string::npos) << said;
  }
  calls[1] = describe_inter(1, Operation::gather, CallForm::blocking, {.root = -1});
  for (const std::string& said : heard(calls, 1, begun))
    EXPECT_NE(said.find("rank 1 calls MPI_Gather with root MPI_PROC_NULL"), std::string::npos) << said;
  EXPECT_EQ(begun, 4);
}

TEST(Check, FunctionsHaveTheirNames) {
  std::vector<Call> calls = broadcasts(2);
  calls[0].form = CallForm::nonblocking;
  calls[1].form = CallForm::persistent;
  int begun = 0;
  std::string said = heard(calls, 1, begun)[0];
  EXPECT_NE(said.find("rank 0 calls MPI_Ibcast"), std::string::npos) << said;
  EXPECT_NE(said.find("rank 1 calls MPI_Bcast_init"), std::string::npos) << said;
  calls[0] = describe_inter(0, Operation::reduce_scatter_block, CallForm::blocking, {});
  calls[1].form = CallForm::internal;
  said = heard(calls, 1, begun)[1];
  EXPECT_NE(said.find("rank 0 calls MPI_Reduce_scatter_block"), std::string::npos) << said;
  EXPECT_NE(said.find("rank 1 calls a function that makes communicators"), std::string::npos) << said;
}

TEST(Check, IsOffByDefault) {
  EXPECT_FALSE(checks_collectives());
}

}  // namespace
}  // namespace bowline::coll
