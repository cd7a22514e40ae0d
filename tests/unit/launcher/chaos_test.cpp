// SPDX-License-Identifier: BSD-3-Clause
// mpiexec --chaos: the settings, the schedule, and the signals that come of it.
#include "launcher/chaos/chaos.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

using namespace std::chrono_literals;

std::vector<ChaosDeed> deeds_of(const std::string& text, int ranks, size_t most = 1000) {
  ChaosSchedule schedule(parse_chaos(text), ranks);
  std::vector<ChaosDeed> result;
  while (result.size() < most) {
    const auto deed = schedule.next();
    if (!deed) break;
    result.push_back(*deed);
  }
  return result;
}

std::string complaint_about(const std::string& text) {
  try {
    parse_chaos(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

// ---- the settings

TEST(ChaosSettings, Defaults) {
  const ChaosSettings settings = parse_chaos("18446744073709551615");
  EXPECT_EQ(settings.seed, UINT64_MAX);
  EXPECT_EQ(settings.rate, 1);
  EXPECT_EQ(settings.kinds, (std::vector{ChaosKind::kill, ChaosKind::stop, ChaosKind::delay}));
  EXPECT_FALSE(settings.most.has_value());
  EXPECT_EQ(settings.after, 0ms);
  EXPECT_FALSE(settings.from_start);
}

TEST(ChaosSettings, All) {
  const ChaosSettings settings = parse_chaos("7,kinds=Delay,kill,kill,rate=2.5,most=3,after=1.25,from=start");
  EXPECT_EQ(settings.seed, 7U);
  EXPECT_EQ(settings.rate, 2.5);
  EXPECT_EQ(settings.kinds, (std::vector{ChaosKind::kill, ChaosKind::delay}));
  EXPECT_EQ(settings.most, 3);
  EXPECT_EQ(settings.after, 1250ms);
  EXPECT_TRUE(settings.from_start);
}

TEST(ChaosSettings, ComplaintsSayWhatIsAllowed) {
  struct {
    const char* text;
    std::vector<std::string> words;
  } const table[] = {
      {"", {"must begin with a seed", "--chaos 42"}},
      {"x", {"--chaos x", "must begin with a seed"}},
      {"-1", {"--chaos -1", "from 0 to 18446744073709551615"}},
      {"18446744073709551616", {"must begin with a seed"}},
      {"rate=3", {"must begin with a seed"}},
      {"1,2", {"--chaos 2", "rate=, kinds=, most=, after= and from="}},
      {"1,rate=0", {"rate=0", "from 0.001 to 1000", "rate=2.5"}},
      {"1,rate=nan", {"rate=nan", "must be a number"}},
      {"1,rate=", {"rate=", "must be a number"}},
      {"1,after=-1", {"after=-1", "from 0"}},
      {"1,most=0", {"--chaos most 0", "at least 1"}},
      {"1,kinds=murder", {"--chaos kinds murder", "kill, stop, delay, link"}},
      {"1,from=now", {"--chaos from now", "init, start"}},
      {"1,speed=3", {"speed=3", "rate, kinds, most, after and from"}},
  };
  for (const auto& [text, words] : table) {
    const std::string sentence = complaint_about(text);
    for (const std::string& word : words) EXPECT_NE(sentence.find(word), std::string::npos) << text << ": " << sentence;
  }
}

// ---- the schedule

TEST(ChaosSchedule, IsAFunctionOfTheSeedAndTheRanks) {
  const auto some = deeds_of("42,rate=10", 4, 50);
  EXPECT_EQ(some.size(), 50U);
  EXPECT_EQ(deeds_of("42,rate=10", 4, 50), some);
  EXPECT_NE(deeds_of("43,rate=10", 4, 50), some);
  EXPECT_NE(deeds_of("42,rate=10", 5, 50), some);
}

/// Other versions and machines do the same deeds.
TEST(ChaosSchedule, StaysAsItIs) {
  const std::vector<ChaosDeed> expected = {{135ms, ChaosKind::kill, 1, 0ms},    {177ms, ChaosKind::kill, 3, 0ms},
                                           {202ms, ChaosKind::delay, 0, 31ms},  {225ms, ChaosKind::stop, 2, 1088ms},
                                           {334ms, ChaosKind::kill, 0, 0ms},    {1371ms, ChaosKind::delay, 2, 40ms},
                                           {1555ms, ChaosKind::delay, 2, 32ms}, {1603ms, ChaosKind::stop, 2, 1547ms}};
  EXPECT_EQ(deeds_of("42,rate=10", 4, expected.size()), expected);
}

TEST(ChaosSchedule, NeverKillsTheLastRankNorOneTwice) {
  for (int seed = 0; seed < 100; ++seed) {
    for (const int ranks : {1, 2, 5}) {
      std::set<int> dead;
      for (const ChaosDeed& deed : deeds_of(std::to_string(seed) + ",kinds=kill", ranks)) {
        EXPECT_TRUE(dead.insert(deed.rank).second);
        EXPECT_TRUE(deed.rank >= 0 && deed.rank < ranks);
      }
      EXPECT_EQ(static_cast<int>(dead.size()), ranks - 1);
    }
  }
}

TEST(ChaosSchedule, LeavesDeadAndStoppedRanksAlone) {
  std::vector<std::chrono::milliseconds> go_on(4);
  std::set<int> dead;
  for (const ChaosDeed& deed : deeds_of("5,rate=20", 4)) {
    EXPECT_FALSE(dead.contains(deed.rank));
    EXPECT_GE(deed.at, go_on[static_cast<size_t>(deed.rank)]);
    go_on[static_cast<size_t>(deed.rank)] = deed.at + deed.duration;
    if (deed.kind == ChaosKind::kill) dead.insert(deed.rank);
  }
  EXPECT_EQ(dead.size(), 3U);
}

TEST(ChaosSchedule, KeepsToItsBounds) {
  int kills = 0;
  for (const ChaosDeed& deed : deeds_of("3,most=2,after=1.5,rate=50", 8)) {
    EXPECT_GE(deed.at, 1500ms);
    if (deed.kind == ChaosKind::kill) ++kills;
    const auto [least, most] = deed.kind == ChaosKind::stop    ? std::pair{100ms, 2000ms}
                               : deed.kind == ChaosKind::delay ? std::pair{1ms, 50ms}
                                                               : std::pair{0ms, 0ms};
    EXPECT_TRUE(deed.duration >= least && deed.duration <= most);
  }
  EXPECT_EQ(kills, 2);
}

TEST(ChaosSchedule, KeepsTheRateAndDoesAllKindsToAllRanks) {
  constexpr size_t count = 20000;
  const auto many = deeds_of("1,rate=4,kinds=stop,delay", 1000, count);
  const double seconds = std::chrono::duration<double>(many.back().at).count();
  EXPECT_NEAR(static_cast<double>(count) / seconds, 4, 0.1);
  std::set<int> ranks;
  size_t stops = 0;
  for (const ChaosDeed& deed : many) {
    ranks.insert(deed.rank);
    if (deed.kind == ChaosKind::stop) ++stops;
  }
  EXPECT_EQ(ranks.size(), 1000U);
  EXPECT_NEAR(static_cast<double>(stops) / count, 0.5, 0.02);
}

TEST(ChaosSchedule, ALinkJoinsTwoRanksThatAreLeft) {
  std::set<int> dead;
  std::set<std::pair<int, int>> broken;
  for (const ChaosDeed& deed : deeds_of("4,kinds=link,kill,stop,rate=20,most=1", 4)) {
    if (deed.kind == ChaosKind::kill) dead.insert(deed.rank);
    EXPECT_EQ(deed.other >= 0, deed.kind == ChaosKind::link);
    if (deed.kind != ChaosKind::link) continue;
    EXPECT_NE(deed.rank, deed.other);
    EXPECT_LT(deed.other, 4);
    EXPECT_FALSE(dead.contains(deed.rank) || dead.contains(deed.other));
    if (!dead.empty()) broken.emplace(deed.rank, deed.other);
  }
  EXPECT_EQ(broken.size(), 6U);  // each pair of the three that are left, in both orders
  EXPECT_TRUE(deeds_of("4,kinds=link", 1).empty());
  EXPECT_LT(deeds_of("4,kinds=link,kill,rate=20", 4).size(), 1000U) << "the last rank has nobody to be cut off from";
}

// ---- the steps

TEST(Chaos, BreaksConnectionsWithoutASignal) {
  Chaos chaos(parse_chaos("42,kinds=link,rate=10"), 3);
  const auto first = deeds_of("42,kinds=link,rate=10", 3, 1)[0];
  const Chaos::Clock::time_point begin{1h};
  chaos.begin(begin);
  const auto steps = chaos.take_due(begin + first.at);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].signal, 0);
  EXPECT_EQ(std::pair(steps[0].rank, steps[0].other), std::pair(first.rank, first.other));
  EXPECT_NE(steps[0].sentence.find("s: broke the connection between ranks "), std::string::npos) << steps[0].sentence;
}

TEST(Chaos, SendsSignalsWhenTheirTimeHasCome) {
  Chaos chaos(parse_chaos("42,kinds=delay,rate=10"), 2);
  const auto first = deeds_of("42,kinds=delay,rate=10", 2, 1)[0];
  EXPECT_EQ(chaos.name(), "mpiexec --chaos 42");
  const Chaos::Clock::time_point begin{1h};
  EXPECT_FALSE(chaos.next().has_value());
  EXPECT_TRUE(chaos.take_due(begin + 1h).empty());
  chaos.begin(begin);
  ASSERT_EQ(chaos.next(), begin + first.at);
  EXPECT_TRUE(chaos.take_due(begin + first.at - 1ms).empty());
  const auto stop = chaos.take_due(begin + first.at);
  ASSERT_EQ(stop.size(), 1U);
  EXPECT_EQ(stop[0].signal, SIGSTOP);
  EXPECT_EQ(stop[0].rank, first.rank);
  EXPECT_NE(stop[0].sentence.find("s: delayed rank"), std::string::npos) << stop[0].sentence;
  EXPECT_LE(chaos.next(), begin + first.at + first.duration);
}

TEST(Chaos, LetsEveryStoppedRankGoOn) {
  Chaos chaos(parse_chaos("9,kinds=stop,delay,rate=20"), 3);
  const Chaos::Clock::time_point begin{1h};
  chaos.begin(begin);
  std::vector<bool> stopped(3);
  for (auto now = begin; now < begin + 60s; now = *chaos.next()) {
    for (const ChaosStep& step : chaos.take_due(now)) {
      const auto rank = static_cast<size_t>(step.rank);
      EXPECT_EQ(stopped[rank], step.signal == SIGCONT);
      EXPECT_EQ(step.sentence.empty(), step.signal == SIGCONT);
      stopped[rank] = step.signal == SIGSTOP;
    }
  }
}

TEST(Chaos, ADeadRankDoesNotGoOn) {
  Chaos chaos(parse_chaos("2,kinds=kill,rate=20"), 3);
  const Chaos::Clock::time_point begin{1h};
  chaos.begin(begin);
  const auto steps = chaos.take_due(begin + 1h);
  ASSERT_EQ(steps.size(), 2U);
  for (const ChaosStep& step : steps) EXPECT_EQ(step.signal, SIGKILL);
  EXPECT_FALSE(chaos.next().has_value());
}

}  // namespace
}  // namespace bowline::launcher
