// SPDX-License-Identifier: BSD-3-Clause
// A job's report as a document: {"bowline_job_report": 1, ...}. What concerns each rank is a list with a place for
// each.
#include <fmt/format.h>

#include <string_view>

#include "launcher/report/json_fields.hpp"
#include "launcher/report/report_output.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

using Document = nlohmann::json;
using TimeMember = std::optional<double> RankTimes::*;

constexpr int report_version = 1;
constexpr std::pair<const char*, TimeMember> time_members[] = {{"elapsed", &RankTimes::elapsed},
                                                               {"waiting", &RankTimes::waiting},
                                                               {"transfer", &RankTimes::transfer},
                                                               {"resident_peak", &RankTimes::resident_peak}};

Document document_of(const std::vector<WaitedFor>& waits) {
  Document list = Document::array();
  for (const WaitedFor& each : waits) list.push_back({each.rank, each.seconds});
  return list;
}

Document document_of(const Site& site) {
  return {{"function", site.function},
          {"place", site.place},
          {"waiting", site.waiting},
          {"transfer", site.transfer},
          {"ranks", site.ranks},
          {"longest",
           {{"rank", site.longest},
            {"waiting", site.longest_waiting},
            {"transfer", site.longest_transfer},
            {"for", document_of(std::vector{site.longest_for})}}},
          {"for", document_of(site.waited_for)}};
}

Document times_of(const JobReport& report) {
  Document times = Document::object();
  for (const auto& [name, member] : time_members) {
    Document& list = times[name] = Document::array();
    for (const RankTimes& rank : report.times)
      list.push_back((rank.*member) ? Document(*(rank.*member)) : Document(nullptr));
  }
  return times;
}

Document traffic_of(const TrafficMatrix& traffic) {
  return {{"unit", traffic.unit == TrafficMatrix::Unit::rank ? "rank" : "node"},
          {"per_cell", traffic.per_cell},
          {"cells", traffic.cells},
          {"bytes", traffic.bytes},
          {"total", traffic.total},
          {"between_nodes", traffic.between_nodes}};
}

std::vector<WaitedFor> waits_in(const JsonFields& fields, int ranks) {
  std::vector<WaitedFor> waits;
  for (const Document& row : fields.list("for")) {
    const double rank = fields.element(row, 0).value_or(several_ranks);
    waits.push_back({.rank = rank >= 0 && rank < ranks ? static_cast<int>(rank) : several_ranks,
                     .seconds = fields.element(row, 1).value_or(0)});
  }
  return waits;
}

Site site_in(const Document& document, const std::string& file, int ranks) {
  const JsonFields fields(document, file, "each of the sites");
  const JsonFields longest(fields.object("longest"), file);
  const std::vector<WaitedFor> longest_for = waits_in(longest, ranks);
  return {.function = fields.text("function"),
          .place = fields.text("place"),
          .waiting = fields.number("waiting").value_or(0),
          .transfer = fields.number("transfer").value_or(0),
          .ranks = fields.whole("ranks", 0, ranks),
          .longest = longest.whole("rank", 0, ranks - 1),
          .longest_waiting = longest.number("waiting").value_or(0),
          .longest_transfer = longest.number("transfer").value_or(0),
          .longest_for = longest_for.empty() ? WaitedFor{} : longest_for.front(),
          .waited_for = waits_in(fields, ranks)};
}

TrafficMatrix traffic_in(const JsonFields& fields, const std::string& file) {
  TrafficMatrix traffic{.unit = fields.text("unit") == "node" ? TrafficMatrix::Unit::node : TrafficMatrix::Unit::rank,
                        .per_cell = fields.whole("per_cell", 1, JobReport::most_ranks),
                        .cells = fields.whole("cells", 0, TrafficMatrix::most_cells),
                        .total = fields.count("total"),
                        .between_nodes = fields.count("between_nodes")};
  for (const Document& value : fields.list("bytes")) traffic.bytes.push_back(fields.count_in(value));
  if (traffic.bytes.size() != static_cast<std::size_t>(traffic.cells * traffic.cells))
    throw UsageError("{} is no report of this kind: the traffic is no square", file);
  return traffic;
}

std::vector<int> numbers_in(const JsonFields& fields, const char* key, int least, int most, const std::string& file) {
  std::vector<int> numbers;
  for (const Document& value : fields.list(key)) {
    const double number = value.is_number() ? value.get<double>() : least - 1.0;
    if (number < least || number > most)
      throw UsageError("{} is no report of this kind: \"{}\" has {}", file, key, value.dump());
    numbers.push_back(static_cast<int>(number));
  }
  return numbers;
}

void read_ranks(const JsonFields& fields, const std::string& file, JobReport& report) {
  for (const Document& host : fields.list("hosts"))
    report.hosts.push_back(host.is_string() ? without_controls(host.get<std::string>()) : "?");
  report.node_of = numbers_in(fields, "node_of", -1, static_cast<int>(report.hosts.size()) - 1, file);
  report.missing = numbers_in(fields, "missing", 0, report.ranks - 1, file);
  report.times.resize(static_cast<std::size_t>(report.ranks));
  const JsonFields times(fields.object("times"), file);
  for (const auto& [name, member] : time_members) {
    const Document& list = times.list(name);
    for (std::size_t rank = 0; rank < report.times.size(); ++rank)
      report.times[rank].*member = times.element(list, rank);
  }
  if (report.node_of.size() != report.times.size())
    throw UsageError("{} is no report of this kind: \"node_of\" must have a place for each rank", file);
}

}  // namespace

std::string to_json(const JobReport& report) {
  Document document{{"bowline_job_report", report_version},
                    {"ranks", report.ranks},
                    {"command", report.command},
                    {"library", report.library},
                    {"date", report.date},
                    {"hosts", report.hosts},
                    {"node_of", report.node_of},
                    {"times", times_of(report)},
                    {"missing", report.missing},
                    {"not_sampled", report.not_sampled},
                    {"note", report.note},
                    {"sites", Document::array()},
                    {"traffic", traffic_of(report.traffic)},
                    {"collectives", Document::array()},
                    {"sizes", Document::array()},
                    {"adapters", Document::array()},
                    {"files",
                     {{"reads", report.files.reads},
                      {"writes", report.files.writes},
                      {"bytes_read", report.files.bytes_read},
                      {"bytes_written", report.files.bytes_written}}},
                    {"memory", Document::array()},
                    {"counters", report.counters}};
  for (const Site& site : report.sites) document["sites"].push_back(document_of(site));
  for (const CollectiveUse& use : report.collectives)
    document["collectives"].push_back(
        {{"operation", use.operation}, {"algorithm", use.algorithm}, {"calls", use.calls}});
  for (const MessageSizes& row : report.sizes) document["sizes"].push_back({row.lower, row.eager, row.announced});
  for (const AdapterUse& use : report.adapters)
    document["adapters"].push_back({{"name", use.name}, {"sent", use.sent}, {"fetched", use.fetched}});
  for (const MemoryPoint& point : report.memory) document["memory"].push_back({point.seconds, point.mean, point.most});
  return document.dump(-1, ' ', false, Document::error_handler_t::replace) + '\n';
}

JobReport report_in(std::string_view text, const std::string& file) {
  const Document document = parse_object(text, file);
  const JsonFields fields(document, file);
  if (fields.has("bowline_report")) throw UsageError("{} is the record of one rank: name its folder instead", file);
  const std::optional<double> version = fields.number("bowline_job_report");
  if (!version) throw UsageError("{} is no report of a job: it lacks \"bowline_job_report\"", file);
  if (*version != report_version)
    throw UsageError("{} is a report of version {}; this Bowline reads version {}", file, *version, report_version);
  JobReport report{.ranks = fields.whole("ranks", 1, JobReport::most_ranks),
                   .command = fields.text("command"),
                   .library = fields.text("library"),
                   .date = fields.text("date")};
  read_ranks(fields, file, report);
  report.not_sampled = fields.whole("not_sampled", 0, report.ranks);
  report.note = fields.text("note");
  for (const Document& site : fields.list("sites")) report.sites.push_back(site_in(site, file, report.ranks));
  report.traffic = traffic_in(JsonFields(fields.object("traffic"), file), file);
  for (const Document& each : fields.list("collectives")) {
    const JsonFields use(each, file, "each of the collectives");
    report.collectives.push_back({use.text("operation"), use.text("algorithm"), use.count("calls")});
  }
  report.sizes = sizes_in(fields, file);
  report.adapters = adapters_in(fields, file);
  const JsonFields files(fields.object("files"), file);
  report.files = {files.count("reads"), files.count("writes"), files.count("bytes_read"), files.count("bytes_written")};
  for (const Document& row : fields.list("memory"))
    report.memory.push_back(
        {fields.element(row, 0).value_or(0), fields.element(row, 1).value_or(0), fields.element(row, 2).value_or(0)});
  for (const auto& [name, value] : fields.object("counters").items())
    report.counters.emplace(without_controls(name), fields.count_in(value));
  return report;
}

}  // namespace bowline::launcher
