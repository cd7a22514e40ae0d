// SPDX-License-Identifier: BSD-3-Clause
// launcher/report: what is said of a job: the finding, the advice, the page, the text and the comparison.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "launcher/report/advice.hpp"
#include "launcher/report/html_parts.hpp"
#include "launcher/report/key_figures.hpp"
#include "launcher/report/report_output.hpp"
#include "report_records.hpp"

namespace bowline::launcher {
namespace {

std::string finding_in(const std::vector<RankRecord>& records) {
  const JobReport report = report_of(records);
  return finding_of(report, totals_of(report)).sentence;
}

/// The first sentence of each piece of advice.
std::vector<std::string> advice_in(const std::vector<RankRecord>& records) {
  const JobReport report = report_of(records);
  std::vector<std::string> sentences;
  for (const Advice& each : advice_for(report, totals_of(report))) sentences.push_back(each.what);
  return sentences;
}

using Sentences = std::vector<std::string>;

TEST(ReportFinding, NothingStandsOut) {
  EXPECT_EQ(finding_in(calm_job(4)), "MPI takes 3 % of the time: there is little to gain.");
  std::vector<RankRecord> records = calm_job(4);
  for (RankRecord& record : records) record.transfer = 2.2;
  EXPECT_EQ(finding_in(records), "MPI takes 24 % of the time, spread over several calls: none stands out.");
}

TEST(ReportFinding, AllWaitForOneRank) {
  EXPECT_EQ(
      finding_in(job_with_slow_rank(8, 3)),
      "All ranks together spend 44 % of their time waiting for rank 3 in MPI_Bcast at x.c:51. Rank 3 computes 2.0 "
      "times as long as the others on average.");
}

TEST(ReportFinding, OneRankWaits) {
  std::vector<RankRecord> records = calm_job(8);
  records[3].waiting = 6.6;
  records[3].sites = {{.function = "MPI_Recv", .place = "y.c:7", .waiting = 6.4, .waited_for = {{0, 6.4}}}};
  EXPECT_EQ(finding_in(records), "64 % of rank 3's time is spent waiting for rank 0 in MPI_Recv at y.c:7.");
  records[3].sites[0].waited_for = {{several_ranks, 6.4}};
  records[3].sites[0].place = "";
  EXPECT_EQ(finding_in(records), "64 % of rank 3's time is spent waiting for other ranks in MPI_Recv.");
}

TEST(ReportFinding, MovingData) {
  std::vector<RankRecord> records = calm_job(2);
  for (RankRecord& record : records) {
    record.transfer = 3;
    record.sites = {{.function = "MPI_Alltoall", .place = "z.c:1", .transfer = 2.9}};
  }
  EXPECT_EQ(finding_in(records), "29 % of the time goes into moving data in MPI_Alltoall at z.c:1.");
}

TEST(ReportFinding, WithoutSamples) {
  std::vector<RankRecord> records = calm_job(2);
  for (RankRecord& record : records) record.sampled = false;
  EXPECT_EQ(finding_in(records), "Long waits in MPI take 2 % of the time; how long its other calls take is not known.");
  for (RankRecord& record : records) record.waiting.reset();
  EXPECT_EQ(finding_in(records), "The records do not say how much time MPI takes.");
}

TEST(ReportAdvice, NoneForAGoodJob) {
  EXPECT_EQ(advice_in(calm_job(4)), Sentences{});
}

TEST(ReportAdvice, Imbalance) {
  const JobReport report = report_of(job_with_slow_rank(8, 3));
  const std::vector<Advice> advice = advice_for(report, totals_of(report));
  ASSERT_EQ(advice.size(), 2U);
  EXPECT_EQ(advice[0].what, "Rank 3 computes longer than the others.");
  EXPECT_EQ(advice[0].reason,
            "It computes 9.70 s, the others 4.80 s on average; others wait 35.0 s for it together, most in "
            "MPI_Bcast at x.c:51 (rank 0 the longest).");
  EXPECT_EQ(advice[1].what, "MPI takes 46 % of the time.");
}

TEST(ReportAdvice, ARankThatIsWaitedFor) {
  std::vector<RankRecord> records = job_with_slow_rank(4, 0);
  records[0].transfer = 5;
  EXPECT_EQ(advice_in(records), (Sentences{"The others wait for rank 0.", "MPI takes 52 % of the time."}));
}

TEST(ReportAdvice, OtherRules) {
  std::vector<RankRecord> records = calm_job(4);
  records[0].counters = {{"unexpected_messages", 30}, {"eager_messages", 90}, {"single_copy_messages", 10}};
  EXPECT_EQ(advice_in(records), Sentences{"30 % of the messages arrive before their receives."});
  records[0].counters.erase("eager_messages");
  EXPECT_EQ(advice_in(records), Sentences{});

  records[2].resident_peak = 9e8;
  EXPECT_EQ(advice_in(records), Sentences{"Rank 2 takes much more memory than the others."});

  records = calm_job(4);
  records[1].files = {.writes = 20000, .bytes_written = 20000 * 512};
  EXPECT_EQ(advice_in(records), Sentences{"Files are read and written in small pieces."});

  records = calm_job(4);
  records[3].sampled = false;
  records[3].note = "No timers.";
  records.erase(records.begin() + 1);
  EXPECT_EQ(advice_in(records), (Sentences{"Rank 1 left no record.", "The calls of 1 rank were not sampled."}));

  records = calm_job(2);
  for (RankRecord& record : records) record.elapsed = 0.5;
  EXPECT_EQ(advice_in(records), (Sentences{"The job is too short to judge.", "MPI takes 60 % of the time."}));
}

TEST(ReportPage, EscapesWhatComesFromOutside) {
  EXPECT_EQ(escaped("<a href=\"x\">'&"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;");
  std::vector<RankRecord> records = job_with_slow_rank(4, 1);
  const std::string evil = "<script>alert('\"&";
  for (RankRecord& record : records) {
    record.command = record.host = record.library = record.note = evil;
    record.sampled = record.rank != 0;
    record.sites[0].function = record.sites[0].place = evil;
    record.traffic = {{.peer = 0, .sent = 5}};
    record.collectives = {{evil, evil, 1}};
    record.adapters = {{.name = evil, .sent = 1}};
    record.counters = {{evil, 1}};
  }
  const std::string html = to_html(report_of(records));
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_NE(html.find("&lt;script&gt;alert(&#39;&quot;&amp;"), std::string::npos);
}

TEST(ReportText, FitsIntoEightyColumns) {
  for (const int ranks : {1, 3, 16, 40}) {
    std::istringstream text(to_text(report_of(job_with_slow_rank(ranks, 0))));
    for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80U) << line;
  }
  const std::string text = to_text(report_of(job_with_slow_rank(40, 7)));
  EXPECT_NE(text.find("24 ranks that wait less than these and more than those below"), std::string::npos);
}

TEST(ReportComparison, SaysWhatChanged) {
  const JobReport before = report_of(job_with_slow_rank(4, 1));
  std::vector<RankRecord> records = job_with_slow_rank(4, 1);
  for (RankRecord& record : records) {
    record.elapsed = 8;
    record.waiting = *record.waiting / 2;
    record.sites[0].waiting /= 2;
    record.counters = {{"eager_messages", 5}};
  }
  const std::string text = comparison_of(before, report_of(records));
  EXPECT_NE(text.find("The second job is 20 % faster, because of MPI."), std::string::npos) << text;
  EXPECT_NE(text.find("10.0 s -> 8.00 s (-20 %)"), std::string::npos) << text;
  EXPECT_NE(text.find("3.98 s -> 2.09 s (-47 %)"), std::string::npos) << text;
  EXPECT_NE(text.find("0 -> 20 (new)"), std::string::npos) << text;
  EXPECT_NE(comparison_of(before, before).find("takes as long as the first"), std::string::npos);
}

}  // namespace
}  // namespace bowline::launcher
