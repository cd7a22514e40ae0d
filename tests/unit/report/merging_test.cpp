// SPDX-License-Identifier: BSD-3-Clause
// launcher/report: the records of ranks become the report of their job.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "launcher/report/job_totals.hpp"
#include "launcher/report/report_words.hpp"
#include "report_records.hpp"

namespace bowline::launcher {
namespace {

TEST(ReportMerging, RanksNodesAndTimes) {
  std::vector<RankRecord> records = calm_job(4);
  records.erase(records.begin() + 2);
  const JobReport report = report_of(records);
  EXPECT_EQ(report.ranks, 4);
  EXPECT_EQ(report.missing, std::vector<int>{2});
  EXPECT_EQ(report.hosts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(report.node_of, (std::vector<int>{0, 0, -1, 1}));
  EXPECT_DOUBLE_EQ(report.times[0].computing().value(), 9.7);
  EXPECT_FALSE(report.times[2].elapsed);
  const JobTotals totals = totals_of(report);
  EXPECT_EQ(totals.elapsed.known, 3);
  EXPECT_NEAR(totals.mpi_share().value(), 0.03, 1e-9);
}

TEST(ReportMerging, SitesOfSeveralRanksBecomeOne) {
  std::vector<RankRecord> records = job_with_slow_rank(4, 1);
  records[3].sites[0].waiting = 6;
  records[3].sites[0].waited_for = {{.rank = 1, .seconds = 4}, {.rank = several_ranks, .seconds = 2}};
  records[2].sites.push_back({.function = "MPI_Bcast", .place = "y.c:3", .waiting = 0.5});
  const JobReport report = report_of(records);
  ASSERT_EQ(report.sites.size(), 2U);
  const Site& site = report.sites[0];
  EXPECT_EQ(site.in_words(), "MPI_Bcast at x.c:51");
  EXPECT_EQ(site.ranks, 4);
  EXPECT_DOUBLE_EQ(site.waiting, 16.1);
  EXPECT_EQ(site.longest, 3);
  EXPECT_EQ(site.longest_for, (WaitedFor{1, 4}));
  EXPECT_EQ(site.waited_for, (std::vector<WaitedFor>{{1, 14}, {several_ranks, 2}}));
  EXPECT_EQ(report.sites[1].ranks, 1);
  EXPECT_EQ(totals_of(report).most_waited_for, (WaitedFor{1, 14}));
}

TEST(ReportMerging, TrafficOfFewRanksIsExact) {
  std::vector<RankRecord> records = calm_job(4);
  records[0].traffic = {{.peer = 3, .sent = 100, .fetched = 7}};
  records[3].traffic = {{.peer = 0, .sent = 20, .fetched = 1}, {.peer = 2, .sent = 5}};
  const JobReport report = report_of(records);
  EXPECT_EQ(report.traffic.cells, 4);
  EXPECT_EQ(report.traffic.at(0, 3), 101U);
  EXPECT_EQ(report.traffic.at(3, 0), 27U);
  EXPECT_EQ(report.traffic.at(3, 2), 5U);
  EXPECT_EQ(report.traffic.total, 133U);
  EXPECT_EQ(report.traffic.between_nodes, 128U);
  EXPECT_EQ(traffic_name(report, 3), "rank 3");
}

std::vector<RankRecord> ring(int ranks, int per_node) {
  std::vector<RankRecord> records = calm_job(ranks);
  for (RankRecord& record : records) {
    record.host = "n" + std::to_string(record.rank / per_node);
    record.traffic = {{.peer = (record.rank + 1) % ranks, .sent = 10}};
  }
  return records;
}

TEST(ReportMerging, TrafficOfManyRanksIsSummedUp) {
  const JobReport by_node = report_of(ring(100, 10));
  EXPECT_EQ(by_node.traffic.cells, 10);
  EXPECT_EQ(by_node.traffic.at(0, 0), 90U);
  EXPECT_EQ(by_node.traffic.at(9, 0), 10U);
  EXPECT_EQ(traffic_name(by_node, 4), "n4");

  const JobReport by_nodes = report_of(ring(400, 4));
  EXPECT_EQ(by_nodes.traffic.per_cell, 2);
  EXPECT_EQ(by_nodes.traffic.cells, 50);
  EXPECT_EQ(by_nodes.traffic.at(0, 0), 70U);
  EXPECT_EQ(traffic_name(by_nodes, 1), "nodes n2 to n3");

  const JobReport on_one_node = report_of(ring(100, 100));
  EXPECT_EQ(on_one_node.traffic.unit, TrafficMatrix::Unit::rank);
  EXPECT_EQ(on_one_node.traffic.cells, 50);
  EXPECT_EQ(on_one_node.traffic.total, 1000U);
  EXPECT_EQ(traffic_name(on_one_node, 49), "ranks 98 to 99");
}

TEST(ReportMerging, MemoryOverTime) {
  std::vector<RankRecord> records = calm_job(2);
  for (int i = 1; i <= 1000; ++i) {
    records[0].memory.push_back({.seconds = i * 0.01, .bytes = 100});
    records[1].memory.push_back({.seconds = i * 0.01, .bytes = i == 500 ? 900.0 : 300.0});
  }
  const JobReport report = report_of(records);
  ASSERT_EQ(report.memory.size(), 200U);
  EXPECT_NEAR(report.memory.back().seconds, 10, 1e-6);
  EXPECT_DOUBLE_EQ(report.memory.front().mean, 200);
  EXPECT_DOUBLE_EQ(std::ranges::max(report.memory, {}, &MemoryPoint::most).most, 900);
}

TEST(ReportMerging, SumsOfTheRest) {
  std::vector<RankRecord> records = calm_job(3);
  for (RankRecord& record : records) {
    record.collectives = {{"bcast", "binomial", 2}, {"allreduce", "slots", 10}};
    record.files = {.reads = 1, .writes = 2, .bytes_read = 3, .bytes_written = 4};
    record.counters = {{"eager_messages", 5}, {"registered_bytes_peak", 7U + static_cast<unsigned>(record.rank)}};
  }
  const JobReport report = report_of(records);
  EXPECT_EQ(report.collectives, (std::vector<CollectiveUse>{{"allreduce", "slots", 30}, {"bcast", "binomial", 6}}));
  EXPECT_EQ(report.files, (FileUse{3, 6, 9, 12}));
  EXPECT_EQ(report.counter("eager_messages"), 15U);
  EXPECT_EQ(report.counter("registered_bytes_peak"), 9U);
  EXPECT_EQ(report.counter("no_such_counter"), 0U);
}

TEST(ReportMerging, SizesAndAdapters) {
  constexpr std::uint64_t most = ~std::uint64_t{0};
  std::vector<RankRecord> records = calm_job(3);
  records[0].sizes = {{.lower = 1024, .eager = 4, .announced = 1}, {.lower = 0, .eager = 2}, {.lower = 4}};
  records[2].sizes = {{.lower = 1024, .eager = most, .announced = 2}};
  records[0].adapters = {{.name = "shared memory", .sent = 100, .fetched = 50}, {.name = "unused"}};
  records[2].adapters = {{.name = "mlx5_0:1", .sent = 300}, {.name = "shared memory", .sent = 1}};
  const JobReport report = report_of(records);
  EXPECT_EQ(report.sizes, (std::vector<MessageSizes>{{0, 2, 0}, {1024, most, 3}}));
  EXPECT_EQ(report.adapters, (std::vector<AdapterUse>{{"mlx5_0:1", 300, 0}, {"shared memory", 101, 50}}));
}

TEST(ReportWords, SizesOfMessages) {
  EXPECT_EQ(sizes_in_words(0), "0 B");
  EXPECT_EQ(sizes_in_words(1), "1 B");
  EXPECT_EQ(sizes_in_words(512), "512 to 1023 B");
  EXPECT_EQ(sizes_in_words(1024), "1 KiB to 2 KiB");
  EXPECT_EQ(sizes_in_words(std::uint64_t{512} << 10), "512 KiB to 1 MiB");
  EXPECT_EQ(sizes_in_words(std::uint64_t{1} << 63), "8 EiB and more");
}

TEST(ReportWords, Numbers) {
  EXPECT_EQ(seconds_in_words(0), "0 s");
  EXPECT_EQ(seconds_in_words(0.0456), "45.6 ms");
  EXPECT_EQ(seconds_in_words(0.9999), "1.00 s");
  EXPECT_EQ(seconds_in_words(12.345), "12.3 s");
  EXPECT_EQ(seconds_in_words(725), "12 min 5 s");
  EXPECT_EQ(seconds_in_words(7380), "2 h 3 min");
  EXPECT_EQ(bytes_in_words(512), "512 B");
  EXPECT_EQ(bytes_in_words(1.5 * (1 << 30)), "1.50 GiB");
  EXPECT_EQ(share_in_words(1, 3), "33 %");
  EXPECT_EQ(share_in_words(1, 0), "0 %");
  EXPECT_EQ(share_in_words(0.4, 100), "0.4 %");
  EXPECT_EQ(count_in_words(1234567), "1,234,567");
  EXPECT_EQ(count_in_words(999), "999");
  EXPECT_EQ(ranks_in_words(std::vector{0, 1, 2, 4, 6, 7}), "0 to 2, 4, 6 and 7");
  EXPECT_EQ(shortened("abcdef\xC3\xA4z", 8), "abcde...");
}

}  // namespace
}  // namespace bowline::launcher
