// SPDX-License-Identifier: BSD-3-Clause
// How ranks end, in words and as an exit status.
#include <gtest/gtest.h>

#include "launcher/job/rank_failure.hpp"

namespace bowline::launcher {
namespace {

// What waitpid() reports, put together by hand.
constexpr int exited(int code) {
  return code << 8;
}
constexpr int killed(int signal) {
  return signal;
}
constexpr int dumped(int signal) {
  return signal | 0x80;
}

PmixEvent abort_event(int code, std::string text) {
  return {.kind = PmixEvent::Kind::aborted, .of = {.job = "job", .rank = 4}, .code = code, .text = std::move(text)};
}

TEST(Failure, SuccessIsNone) {
  EXPECT_FALSE(describe_exit(0, "node", exited(0), false).has_value());
}

TEST(Failure, Exits) {
  const auto status = describe_exit(3, "node", exited(7), false);
  EXPECT_EQ(status->status, 7);
  EXPECT_EQ(status->sentence, "rank 3 on node exited with status 7");
  EXPECT_EQ(describe_exit(3, "node", exited(7), true)->sentence,
            "rank 3 on node exited with status 7 without MPI_Finalize");
  const auto unfinished = describe_exit(3, "node", exited(0), true);
  EXPECT_EQ(unfinished->status, 1);
  EXPECT_EQ(unfinished->sentence, "rank 3 on node exited without MPI_Finalize after it had called MPI_Init");
}

TEST(Failure, Signals) {
  EXPECT_EQ(describe_exit(0, "node", killed(9), true)->status, 137);
  EXPECT_EQ(describe_exit(0, "node", killed(9), true)->sentence, "rank 0 on node was killed by signal 9 (Killed)");
  EXPECT_EQ(describe_exit(0, "node", dumped(11), false)->sentence,
            "rank 0 on node was killed by signal 11 (Segmentation fault), core dumped");
}

TEST(Failure, Aborts) {
  EXPECT_EQ(describe_abort(abort_event(7, ""), "node").sentence, "rank 4 on node called MPI_Abort with code 7");
  EXPECT_EQ(describe_abort(abort_event(7, "out of\ncoffee\n"), "node").sentence,
            "rank 4 on node called MPI_Abort with code 7: out of coffee");
  EXPECT_EQ(describe_abort(abort_event(7, "rank 4 on node: MPI_Send: no"), "node").sentence,
            "rank 4 on node: MPI_Send: no");
}

TEST(Failure, AbortStatusIsTheLowByteButNotAFalseZero) {
  for (const auto& [code, status] : {std::pair{0, 0}, {1, 1}, {255, 255}, {256, 1}, {258, 2}, {-1, 255}}) {
    EXPECT_EQ(describe_abort(abort_event(code, ""), "node").status, status) << code;
  }
}

TEST(Failure, Others) {
  EXPECT_EQ(others_ended(0), "");
  EXPECT_EQ(others_ended(1), "; the other rank is ended");
  EXPECT_EQ(others_ended(2), "; the other 2 ranks are ended");
}

}  // namespace
}  // namespace bowline::launcher
