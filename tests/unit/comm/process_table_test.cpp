// SPDX-License-Identifier: BSD-3-Clause
// comm/process_table: the indices of processes, and their names in sentences.
#include "comm/process_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "support/allocations.hpp"

namespace bowline::comm {
namespace {

constexpr int many = 1'000'000;

TEST(ProcessTableTest, AJobThatStaysAloneAllocatesNothing) {
  const std::string job = "a job with a name that does not fit into a string object";
  const std::size_t before = test::allocations();
  const ProcessTable table(job, many);
  bool right = table.size() == many;
  for (const int rank : {0, 1, many - 1}) {
    right = right && table.is_of_this_job(rank) && table[rank] == ProcessId{job, rank} &&
            table.index_of({job, rank}) == rank;
  }
  EXPECT_EQ(test::allocations(), before);
  EXPECT_TRUE(right);
  EXPECT_EQ(table[3].job.data(), job.data());
  EXPECT_EQ(table.index_of({job, many}), std::nullopt);
  EXPECT_EQ(table.index_of({job, -1}), std::nullopt);
  EXPECT_EQ(table.index_of({"another", 0}), std::nullopt);
}

TEST(ProcessTableTest, FurtherJobsGetBlocksOfIndices) {
  ProcessTable table("here", 4);
  EXPECT_EQ(table.add("there", 3), 4);
  const ProcessId early = table[5];
  EXPECT_EQ(table.add("elsewhere", 100), 7);
  EXPECT_EQ(table.size(), 107);
  EXPECT_EQ(table[3], (ProcessId{"here", 3}));
  EXPECT_EQ(table[4], (ProcessId{"there", 0}));
  EXPECT_EQ(table[6], (ProcessId{"there", 2}));
  EXPECT_EQ(table[7], (ProcessId{"elsewhere", 0}));
  EXPECT_EQ(table[106], (ProcessId{"elsewhere", 99}));
  EXPECT_EQ(early, (ProcessId{"there", 1}));
  EXPECT_TRUE(table.is_of_this_job(3));
  EXPECT_FALSE(table.is_of_this_job(4));
  for (const int process : {0, 3, 4, 6, 7, 106}) EXPECT_EQ(table.index_of(table[process]), process);
  EXPECT_EQ(table.index_of({"there", 3}), std::nullopt);
}

TEST(ProcessTableTest, AJobKeepsItsIndices) {
  ProcessTable table("here", 4);
  table.add("there", 3);
  table.add("elsewhere", 1);
  EXPECT_EQ(table.add("there", 3), 4);
  EXPECT_EQ(table.add("here", 4), 0);
  EXPECT_EQ(table.size(), 8);
}

TEST(ProcessTableTest, IndicesAreBounded) {
  constexpr int most = std::numeric_limits<int>::max();
  ProcessTable table("here", 4);
  EXPECT_EQ(table.add("there", most - 5), 4);
  try {
    table.add("elsewhere", 2);
    ADD_FAILURE() << "there is one index left";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("job elsewhere with 2 ranks"), std::string::npos) << error.what();
  }
  EXPECT_EQ(table.add("elsewhere", 1), most - 1);
}

TEST(ProcessTableTest, SentencesNameTheJobOfOthersOnly) {
  EXPECT_EQ(process_name(5), "rank 5");
  {
    ProcessTable table("here", 4);
    EXPECT_EQ(process_name(5), "rank 5");
    table.add("there", 3);
    EXPECT_EQ(process_name(3), "rank 3");
    EXPECT_EQ(process_name(5), "rank 1 of job there");
    EXPECT_EQ(process_name(7), "rank 7");  // of no job that is known
  }
  EXPECT_EQ(process_name(5), "rank 5");
}

TEST(ThreadsProcessTable, AThreadReadsWhileAnotherAdds) {
  constexpr int jobs = 500;
  ProcessTable table("here", 2);
  std::atomic<int> known{2};
  std::thread adder([&] {
    for (int job = 0; job < jobs; ++job) {
      const int first = table.add("job " + std::to_string(job), 3);
      known.store(first + 3, std::memory_order_release);
    }
  });
  for (int end = 2; end < 2 + 3 * jobs;) {
    end = known.load(std::memory_order_acquire);
    const int process = end - 1;
    EXPECT_EQ(table.index_of(table[process]), process);
    const std::string name = process_name(process);
    EXPECT_EQ(name.starts_with("rank " + std::to_string(process < 2 ? process : 2)), true) << name;
  }
  adder.join();
}

}  // namespace
}  // namespace bowline::comm
