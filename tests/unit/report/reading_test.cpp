// SPDX-License-Identifier: BSD-3-Clause
// launcher/report: what is read, and with which sentence a file is refused.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "launcher/report/report_output.hpp"
#include "launcher/usage_error.hpp"
#include "report_records.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

/// What is said of a rank's record with this text, "" if nothing is.
std::string refusal_of_record(const std::string& text) {
  try {
    parse_record(text, "F");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string refusal_of_report(const std::string& text) {
  try {
    report_in(text, "F");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

std::string with(const std::string& members) {
  return R"({"bowline_report": 1, "rank": 1, "ranks": 2)" + members + "}";
}

TEST(ReportRecord, IsRead) {
  const RankRecord record = parse_record(with(R"(, "host": "n0", "elapsed": 12.5, "waiting": 3, "transfer": null,
      "sites": [{"function": "MPI_Bcast", "place": "x.c:51", "waiting": 2.9, "for": [[0, 2.8], [-1, 0.1]]}],
      "traffic": [[0, 4096, null]], "collectives": [{"operation": "bcast", "algorithm": "slots", "calls": 3}],
      "files": {"reads": 4}, "memory": {"resident_peak": 1000, "over_time": [[2, 20], [1, 10]]},
      "sizes": [[0, 5], [9223372036854775808, 1, 18446744073709551615]], "adapters": [{"name": "UCX\n", "sent": 7}],
      "counters": {"a": 18446744073709551615, "b": null}, "other": [[[]]])"),
                                         "F");
  EXPECT_EQ(record.rank, 1);
  EXPECT_EQ(record.elapsed, 12.5);
  EXPECT_FALSE(record.transfer);
  EXPECT_TRUE(record.sampled);
  ASSERT_EQ(record.sites.size(), 1U);
  EXPECT_EQ(record.sites[0].waited_for, (std::vector<WaitedFor>{{0, 2.8}, {several_ranks, 0.1}}));
  EXPECT_EQ(record.traffic[0].sent, 4096U);
  EXPECT_EQ(record.files.reads, 4U);
  EXPECT_EQ(record.memory[0].seconds, 1);
  EXPECT_EQ(record.sizes, (std::vector<MessageSizes>{{0, 5, 0}, {std::uint64_t{1} << 63, 1, 18446744073709551615U}}));
  EXPECT_EQ(record.adapters, (std::vector<AdapterUse>{{"UCX?", 7, 0}}));
  EXPECT_EQ(record.counters.at("a"), 18446744073709551615U);
  EXPECT_EQ(record.counters.at("b"), 0U);
}

TEST(ReportRecord, MayLackWhatIsNotKnown) {
  const RankRecord record = parse_record(with(""), "F");
  EXPECT_FALSE(record.elapsed);
  EXPECT_TRUE(record.sites.empty());
  EXPECT_FALSE(to_html(report_of(std::vector{record})).empty());
  EXPECT_FALSE(to_text(report_of(std::vector{record})).empty());
}

TEST(ReportRecord, ControlCharactersAreReplaced) {
  EXPECT_EQ(parse_record(with(R"(, "command": "a\u001b[31m\nb\u0085")"), "F").command, "a?[31m?b?");
}

TEST(ReportRecord, RefusalsAreSentences) {
  EXPECT_EQ(refusal_of_record(""), "F is empty");
  EXPECT_EQ(refusal_of_record("{\"a\": 1"), "F is cut off: it ends after 7 bytes");
  EXPECT_EQ(refusal_of_record("ELF"), "F is no JSON: byte 1 does not fit");
  EXPECT_EQ(refusal_of_record("[1]"), "F is no report: it is JSON, but no object");
  EXPECT_EQ(refusal_of_record("{}"), "F is no record of a rank: it lacks \"bowline_report\"");
  EXPECT_EQ(refusal_of_record("{\"bowline_report\": 2}"), "F is a record of version 2; this Bowline reads version 1");
  EXPECT_EQ(refusal_of_record(R"({"bowline_report": 1, "ranks": 2, "rank": 2})"),
            "F is no report of this kind: \"rank\" must be a whole number from 0 to 1");
  EXPECT_EQ(refusal_of_record(with(R"(, "elapsed": "long")")),
            "F is no report of this kind: \"elapsed\" must be a number or null");
  EXPECT_EQ(refusal_of_record(with(R"(, "sites": {})")),
            "F is no report of this kind: \"sites\" must be a list or null");
  EXPECT_EQ(refusal_of_record(with(R"(, "sites": [3])")),
            "F is no report of this kind: each of the sites must be an object");
  EXPECT_EQ(refusal_of_record(with(R"(, "traffic": [[2, 1, 1]])")),
            "F is no report of this kind: traffic with a rank that does not exist");
  EXPECT_EQ(refusal_of_record(with(R"(, "counters": {"a": -1})")),
            "F is no report of this kind: -1 must be a number that is not negative");
  EXPECT_EQ(refusal_of_record(with(R"(, "elapsed": 1e999)")), "F has a number that is too large");
  EXPECT_EQ(refusal_of_record(with(R"(, "sizes": [[3, 1, 1]])")),
            "F is no report of this kind: \"sizes\" has 3, which is no power of two");
  EXPECT_EQ(refusal_of_record(with(R"(, "sizes": [4])")),
            "F is no report of this kind: a list of lists has something else");
  EXPECT_EQ(refusal_of_record(with(R"(, "sizes": [[4, -1]])")),
            "F is no report of this kind: -1 must be a number that is not negative");
  EXPECT_EQ(refusal_of_record(with(R"(, "adapters": ["a"])")),
            "F is no report of this kind: each of the adapters must be an object");
}

TEST(ReportDocument, IsReadAsItWasWritten) {
  std::vector<RankRecord> records = job_with_slow_rank(5, 2);
  records[0].traffic = {{.peer = 1, .sent = std::uint64_t{1} << 60}};
  records[0].collectives = {{"bcast", "slots", 3}};
  records[0].sizes = {{.lower = 64, .eager = 18446744073709551615U, .announced = 3}};
  records[0].adapters = {{.name = "UCX", .sent = 18446744073709551615U, .fetched = 1}};
  records[0].files.reads = 2;
  records[0].counters = {{"a", 18446744073709551615U}};
  records[1].memory = {{1, 10}, {2, 20}};
  records[3].sampled = false;
  records[3].note = "no timer";
  records.pop_back();
  JobReport report = report_of(records);
  report.date = "2026-07-24 12:31";
  EXPECT_EQ(report_in(to_json(report), "F"), report);
}

TEST(ReportDocument, RefusalsAreSentences) {
  EXPECT_EQ(refusal_of_report("{}"), "F is no report of a job: it lacks \"bowline_job_report\"");
  EXPECT_EQ(refusal_of_report(with("")), "F is the record of one rank: name its folder instead");
  EXPECT_EQ(refusal_of_report(R"({"bowline_job_report": 1})"),
            "F is no report of this kind: \"ranks\" must be a whole number");
  EXPECT_EQ(refusal_of_report(R"({"bowline_job_report": 1, "ranks": 2})"),
            "F is no report of this kind: \"node_of\" must have a place for each rank");
  std::string document = to_json(report_of(calm_job(2)));
  const std::string key = "\"node_of\":[0,1]";
  ASSERT_NE(document.find(key), std::string::npos);
  document.replace(document.find(key), key.size(), "\"node_of\":[0,9]");
  EXPECT_EQ(refusal_of_report(document), "F is no report of this kind: \"node_of\" has 9");
}

class ReportFolder : public testing::Test {
 protected:
  ReportFolder() : place_(testing::TempDir() + "report-" + std::to_string(getpid())) { fs::create_directory(place_); }
  ~ReportFolder() override { fs::remove_all(place_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(place_ / name) << text; }
  std::string refusal() const {
    try {
      read_job(place_);
    } catch (const UsageError& error) {
      const std::string sentence = error.what();
      EXPECT_TRUE(sentence.starts_with(place_.string()));
      return sentence.substr(place_.string().size());
    }
    return "";
  }

  const fs::path place_;
};

TEST_F(ReportFolder, HasARecordOfEachRank) {
  write("rank-1.json", with(""));
  write("rank-x.json", "other");
  write("rank-1.json.part", "other");
  const JobReport report = read_job(place_);
  EXPECT_EQ(report.missing, std::vector<int>{0});
  EXPECT_EQ(report.date.size(), std::string("2026-07-24 12:31").size());
  EXPECT_EQ(read_report(place_), report);
}

TEST_F(ReportFolder, RefusalsNameTheFile) {
  EXPECT_EQ(refusal(), " has no record of a rank: there is no file such as rank-0.json");
  write("rank-0.json", with(""));
  EXPECT_EQ(refusal(), "/rank-0.json is the record of rank 1");
  write("rank-0.json", R"({"bowline_report": 1, "rank": 0, "ranks": 3})");
  write("rank-1.json", with(""));
  EXPECT_EQ(refusal(), "/rank-1.json is of a job of 2 ranks, but others of this folder are of one of 3");
  fs::remove_all(place_);
  EXPECT_EQ(refusal(), " cannot be read: No such file or directory");
}

}  // namespace
}  // namespace bowline::launcher
