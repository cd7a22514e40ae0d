// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/report/rank_record.hpp"

#include <algorithm>

#include "launcher/report/job_report.hpp"
#include "launcher/report/json_fields.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

constexpr int record_version = 1;

/// A rank in a list, which a double has exactly.
int rank_in(std::optional<double> number, int ranks) {
  return number && *number >= 0 && *number < ranks ? static_cast<int>(*number) : several_ranks;
}

std::uint64_t bytes_in(std::optional<double> number) {
  constexpr double most = 9e18;
  return number ? static_cast<std::uint64_t>(std::clamp(*number, 0.0, most)) : 0;
}

std::optional<double> not_negative(std::optional<double> number) {
  return number ? std::optional(std::max(*number, 0.0)) : number;
}

std::vector<RecordedSite> sites_in(const JsonFields& fields, const std::string& file, int ranks) {
  std::vector<RecordedSite> sites;
  for (const auto& each : fields.list("sites")) {
    const JsonFields site(each, file, "each of the sites");
    RecordedSite& added =
        sites.emplace_back(RecordedSite{.function = site.text("function"),
                                        .place = site.text("place"),
                                        .waiting = not_negative(site.number("waiting")).value_or(0),
                                        .transfer = not_negative(site.number("transfer")).value_or(0)});
    for (const auto& row : site.list("for")) {
      const double seconds = not_negative(site.element(row, 1)).value_or(0);
      added.waited_for.push_back({.rank = rank_in(site.element(row, 0), ranks), .seconds = seconds});
    }
  }
  return sites;
}

void read_lists(const JsonFields& fields, const std::string& file, RankRecord& record) {
  record.sites = sites_in(fields, file, record.ranks);
  for (const auto& row : fields.list("traffic")) {
    const int peer = rank_in(fields.element(row, 0), record.ranks);
    if (peer == several_ranks)
      throw UsageError("{} is no report of this kind: traffic with a rank that does not exist", file);
    record.traffic.push_back(
        {.peer = peer, .sent = bytes_in(fields.element(row, 1)), .fetched = bytes_in(fields.element(row, 2))});
  }
  for (const auto& each : fields.list("collectives")) {
    const JsonFields use(each, file, "each of the collectives");
    record.collectives.push_back(
        {.operation = use.text("operation"), .algorithm = use.text("algorithm"), .calls = use.count("calls")});
  }
  for (const auto& [name, value] : fields.object("counters").items())
    record.counters.emplace(without_controls(name), fields.count_in(value));
  record.sizes = sizes_in(fields, file);
  record.adapters = adapters_in(fields, file);
}

void read_objects(const JsonFields& fields, const std::string& file, RankRecord& record) {
  const JsonFields files(fields.object("files"), file);
  record.files = {.reads = files.count("reads"),
                  .writes = files.count("writes"),
                  .bytes_read = files.count("bytes_read"),
                  .bytes_written = files.count("bytes_written")};
  const JsonFields memory(fields.object("memory"), file);
  record.resident_peak = not_negative(memory.number("resident_peak"));
  for (const auto& row : memory.list("over_time")) {
    const std::optional<double> seconds = memory.element(row, 0), bytes = memory.element(row, 1);
    if (seconds && bytes && *seconds >= 0 && *bytes >= 0)
      record.memory.push_back({.seconds = *seconds, .bytes = *bytes});
  }
  std::ranges::stable_sort(record.memory, {}, &MemorySample::seconds);
}

}  // namespace

RankRecord parse_record(std::string_view text, const std::string& file) {
  const nlohmann::json document = parse_object(text, file);
  const JsonFields fields(document, file);
  const std::optional<double> version = fields.number("bowline_report");
  if (!version) throw UsageError("{} is no record of a rank: it lacks \"bowline_report\"", file);
  if (*version != record_version)
    throw UsageError("{} is a record of version {}; this Bowline reads version {}", file, *version, record_version);
  RankRecord record{.ranks = fields.whole("ranks", 1, JobReport::most_ranks)};
  record.rank = fields.whole("rank", 0, record.ranks - 1);
  record.host = fields.text("host");
  record.command = fields.text("command");
  record.library = fields.text("library");
  record.note = fields.text("note");
  record.sampled = fields.flag("sampled", true);
  record.elapsed = not_negative(fields.number("elapsed"));
  record.waiting = not_negative(fields.number("waiting"));
  record.transfer = not_negative(fields.number("transfer"));
  read_lists(fields, file, record);
  read_objects(fields, file, record);
  return record;
}

RankRecord read_record(const std::filesystem::path& file) {
  return parse_record(text_of_file(file), file.string());
}

}  // namespace bowline::launcher
