// SPDX-License-Identifier: BSD-3-Clause
// Where calls are made and how long they wait there: CallSites and WaitProfile.
#include "base/profile/call_sites.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <utility>
#include <vector>

#include "base/profile/wait_profile.hpp"

namespace bowline {
namespace {

struct Sum {
  std::size_t sites = 0;
  std::uint64_t waited = 0;
};

Sum sum_of(const CallSites& sites) {
  Sum sum;
  sites.for_each([&](const CallSites::Site& each) {
    ++sum.sites;
    sum.waited += each.waited;
  });
  return sum;
}

/// How long a site has waited for each rank.
std::vector<std::pair<int, std::uint64_t>> partners_of(const CallSites::Site& site) {
  std::vector<std::pair<int, std::uint64_t>> partners;
  for (const CallSites::Partner& each : site.partners) {
    if (each.mark != 0) partners.emplace_back(each.mark - 1, each.waited);
  }
  return partners;
}

TEST(CallSites, ACallBelongsToThePlaceWhereItReturns) {
  CallSites sites;
  CallSites::Site& site = sites.of({"MPI_Recv", 4096});
  EXPECT_EQ(&sites.of({"MPI_Recv", 4096}), &site);
  EXPECT_NE(&sites.of({"MPI_Recv", 4100}), &site);
  const MpiCall unknown_place{.function = "MPI_Wait", .returns_to = 0};
  EXPECT_EQ(&sites.of(unknown_place), &sites.of(unknown_place));
  EXPECT_NE(&sites.of(unknown_place), &site);
  EXPECT_STREQ(site.function, "MPI_Recv");
  EXPECT_EQ(site.returns_to, 4096U);
}

TEST(CallSites, PartnersAreCountedAndTheRestStaysInTheSum) {
  CallSites sites;
  CallSites::Site& site = sites.of({"MPI_Bcast", 16});
  site.add_wait(5, 0);
  site.add_wait(7, 3);
  site.add_wait(1, 0);
  site.add_wait(100, -1);
  EXPECT_EQ(partners_of(site), (std::vector<std::pair<int, std::uint64_t>>{{0, 6}, {3, 7}}));
  for (int rank = 10; rank < 30; ++rank) site.add_wait(2, rank);
  EXPECT_EQ(partners_of(site).size(), CallSites::most_partners);
  EXPECT_EQ(site.waited, 113U + 40U);
}

TEST(CallSites, TooManyShareOneAndNothingIsLost) {
  CallSites sites;
  constexpr std::uintptr_t calls = 5000;
  for (std::uintptr_t place = 1; place <= calls; ++place) sites.of({"MPI_Send", place * 8}).add_wait(1, 0);
  const Sum sum = sum_of(sites);
  EXPECT_EQ(sum.waited, calls);
  EXPECT_GT(sum.sites, CallSites::most_sites / 2);
  EXPECT_LE(sum.sites, CallSites::most_sites + 1);
}

TEST(CallSites, LinesOfPythonHaveNames) {
  CallSites sites;
  CallSites::Site& line = sites.of("MPI_Recv", "solver.py:88");
  EXPECT_EQ(&sites.of("MPI_Recv", "solver.py:88"), &line);
  EXPECT_NE(&sites.of("MPI_Recv", "solver.py:89"), &line);
  line.add_wait(3, 1);
  EXPECT_EQ(line.place, "solver.py:88");
  EXPECT_EQ(sum_of(sites).sites, 2U);
  EXPECT_EQ(sum_of(sites).waited, 3U);
}

TEST(ThreadsCallSites, ThreadsMeetAtTheSameSites) {
  CallSites sites;
  constexpr std::uint64_t rounds = 20'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&sites, i] {
      for (std::uint64_t round = 0; round < rounds; ++round) sites.of({"MPI_Send", 8 + round % 50 * 8}).add_wait(1, i);
    });
  }
  for (std::thread& each : threads) each.join();
  const Sum sum = sum_of(sites);
  EXPECT_EQ(sum.sites, 50U);
  EXPECT_EQ(sum.waited, 4 * rounds);
}

TEST(WaitProfile, ShortWaitsGatherForTheNextThatKnowsItsPlace) {
  CallSites sites;
  WaitProfile profile(sites);
  constexpr std::uint64_t short_wait = 10'000, millisecond = 1'000'000;
  for (std::uint64_t waited = 0; waited < millisecond; waited += short_wait) {
    EXPECT_FALSE(profile.is_due());
    profile.waited({.idle = short_wait - 1, .moving = 1});
  }
  EXPECT_TRUE(profile.is_due());
  profile.waited({.idle = short_wait, .moving = 7}, sites.of({"MPI_Wait", 64}), 2);
  EXPECT_FALSE(profile.is_due());
  EXPECT_EQ(profile.gathered().idle + profile.gathered().moving, 0U);
  constexpr std::uint64_t moving = millisecond / short_wait;
  EXPECT_EQ(sites.of({"MPI_Wait", 64}).waited, millisecond - moving + short_wait);
  EXPECT_EQ(sites.of({"MPI_Wait", 64}).worked, moving + 7);
}

}  // namespace
}  // namespace bowline
