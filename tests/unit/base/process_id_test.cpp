// SPDX-License-Identifier: BSD-3-Clause
// base/process_id: the names of processes in sentences.
#include "base/process_id.hpp"

#include <gtest/gtest.h>

#include "support/allocations.hpp"

namespace bowline {
namespace {

struct FromTen final : OtherJobs {
  std::optional<ProcessId> find(int process) const override {
    return process < 10 ? std::nullopt : std::optional(ProcessId{"there", process - 10});
  }
};

TEST(ProcessIdTest, ANameSaysTheJobOfOthers) {
  const FromTen others;
  EXPECT_EQ(process_name(12), "rank 12");
  name_processes_by(&others);
  EXPECT_EQ(process_name(9), "rank 9");
  EXPECT_EQ(process_name(12), "rank 2 of job there");
  name_processes_by(nullptr);
  EXPECT_EQ(process_name(12), "rank 12");
}

TEST(ProcessIdTest, AProcessHasANameWithoutMemory) {
  const FromTen others;
  name_processes_by(&others);
  bool right = false;
  {
    const test::FailingAllocations fail(0, test::FailingAllocations::Which::all);
    right = process_name(9) == "rank 9" && process_name(2147483647) == "peer 2147483647";
  }
  name_processes_by(nullptr);
  EXPECT_TRUE(right);
}

}  // namespace
}  // namespace bowline
