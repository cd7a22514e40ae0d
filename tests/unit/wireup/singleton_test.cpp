// SPDX-License-Identifier: BSD-3-Clause
// wireup/singleton: a process without a launcher is a job of one rank.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "wireup/wireup.hpp"

namespace bowline::wireup {
namespace {

std::vector<std::byte> bytes(const std::string& text) {
  std::vector<std::byte> data(text.size());
  std::ranges::transform(text, data.begin(), [](char c) { return static_cast<std::byte>(c); });
  return data;
}

std::vector<std::byte> lookup(Wireup& wireup, const std::string& key) {
  return wireup.lookup({wireup.identity().job, 0}, key);
}

std::string refusal(Wireup& wireup, int rank, const std::string& key, const std::string& job = "") {
  try {
    wireup.lookup({job.empty() ? wireup.identity().job : job, rank}, key);
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::other);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Singleton, IsRankZeroOfOne) {
  const auto wireup = make_singleton();
  EXPECT_EQ(wireup->identity().rank, 0);
  EXPECT_EQ(wireup->identity().size, 1);
  EXPECT_EQ(wireup->identity().local_ranks, std::vector{0});
  EXPECT_EQ(wireup->identity().nodes, 1);
  EXPECT_EQ(wireup->node_of(0), 0);
  EXPECT_EQ(wireup->identity().switches, "");
  EXPECT_NE(wireup->identity().job.find(std::to_string(getpid())), std::string::npos);
}

TEST(Singleton, FindsWhatItHasPublished) {
  const auto wireup = make_singleton();
  wireup->publish("a", bytes("one"));
  wireup->publish("b", bytes(""));
  wireup->exchange();
  EXPECT_EQ(lookup(*wireup, "a"), bytes("one"));
  EXPECT_EQ(lookup(*wireup, "b"), bytes(""));
  wireup->publish("a", bytes("three"));
  EXPECT_EQ(lookup(*wireup, "a"), bytes("three"));
  wireup->finalize();
}

TEST(Singleton, NamesWhatNobodyHasPublished) {
  const auto wireup = make_singleton();
  wireup->publish("a", bytes("one"));
  const std::string no_key = refusal(*wireup, 0, "bowline.shm");
  EXPECT_NE(no_key.find("\"bowline.shm\""), std::string::npos) << no_key;
  const std::string no_rank = refusal(*wireup, 3, "a");
  EXPECT_NE(no_rank.find("rank 3"), std::string::npos) << no_rank;
  EXPECT_NE(no_rank.find("one rank"), std::string::npos) << no_rank;
  const std::string no_job = refusal(*wireup, 0, "a", "another");
  EXPECT_NE(no_job.find("rank 0 of job another"), std::string::npos) << no_job;
  EXPECT_NE(no_job.find("mpiexec"), std::string::npos) << no_job;
}

}  // namespace
}  // namespace bowline::wireup
