// SPDX-License-Identifier: BSD-3-Clause
// The record of one rank, as JSON: launcher/report reads it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/counter.hpp"
#include "base/diagnosis/source_lines.hpp"
#include "node/memory.hpp"
#include "runtime/library_version.hpp"
#include "runtime/report/json_string.hpp"
#include "runtime/report/report.hpp"

namespace bowline::runtime {
namespace {

// Only sites with so large a part of the time are looked up in the debug information, because that takes long.
constexpr std::size_t most_places = 32;
constexpr double nanosecond = 1e-9;

double seconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) * nanosecond;
}

/// How the program was started: the words of its command line.
std::string command() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string words{std::istreambuf_iterator<char>(file), {}};
  while (!words.empty() && words.back() == '\0') words.pop_back();
  std::ranges::replace(words, '\0', ' ');
  return words;
}

/// "0.1.0", of "Bowline 0.1.0, MPI 5.0, standard ABI 1.0".
std::string_view version_alone() {
  const std::string_view whole = library_version();
  const std::size_t begin = whole.find(' ') + 1;
  return whole.substr(begin, whole.find(',') - begin);
}

using Sites = std::vector<const CallSites::Site*>;

std::uint64_t time_in(const CallSites::Site& site) noexcept {
  return site.waited.load(std::memory_order_relaxed) + site.worked.load(std::memory_order_relaxed);
}

/// Those with most time first.
Sites sorted(const CallSites& all) {
  Sites sites;
  all.for_each([&](const CallSites::Site& each) { sites.push_back(&each); });
  std::ranges::sort(sites, std::greater(), [](const CallSites::Site* each) { return time_in(*each); });
  return sites;
}

std::vector<std::string> places_of(const Sites& sites) {
  std::vector<CodeAddress> addresses;
  for (std::size_t i = 0; i < std::min(sites.size(), most_places); ++i)
    addresses.push_back({getpid(), sites[i]->returns_to.load(std::memory_order_relaxed)});  // 0: of Python, or none
  constexpr std::uint64_t needed = 64 << 20;  // of the program that knows places
  std::vector<std::string> places;
  if (!node::memory_short_of(needed)) places = source_lines(addresses);
  places.resize(sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    if (!sites[i]->place.empty()) places[i] = sites[i]->place;
  }
  return places;
}

std::string partners_of(const CallSites::Site& site) {
  std::vector<std::string> partners;
  std::uint64_t known = 0;
  for (const CallSites::Partner& each : site.partners) {
    const int mark = each.mark.load(std::memory_order_relaxed);
    const std::uint64_t time = each.waited.load(std::memory_order_relaxed);
    if (mark == 0) continue;
    partners.push_back(fmt::format("[{}, {:.6f}]", mark - 1, seconds(time)));
    known += time;
  }
  const std::uint64_t all = site.waited.load(std::memory_order_relaxed);
  if (all > known) partners.push_back(fmt::format("[-1, {:.6f}]", seconds(all - known)));
  return fmt::format("[{}]", fmt::join(partners, ", "));
}

std::string in_json(const CallSites::Site& site, const std::string& place) {
  const char* const function = site.function.load(std::memory_order_relaxed);
  return fmt::format(R"(  {{"function": {}, "place": {}, "waiting": {:.6f}, "transfer": {:.6f}, "for": {}}})",
                     json_string(function == nullptr ? "" : function), json_string(place), seconds(site.waited),
                     seconds(site.worked), partners_of(site));
}

std::string sites_in_json(const Sites& sites) {
  const std::vector<std::string> places = places_of(sites);
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < sites.size(); ++i) lines.push_back(in_json(*sites[i], places[i]));
  return fmt::format("[\n{}]", fmt::join(lines, ",\n"));
}

/// By several endpoints.
struct MovedBytes {
  std::uint64_t sent = 0, fetched = 0;

  void add(const transport::PeerTraffic& traffic) noexcept {
    sent += traffic.sent.load(std::memory_order_relaxed);
    fetched += traffic.fetched.load(std::memory_order_relaxed);
  }
};

/// With the ranks of this job. An endpoint may have been made anew for the same peer.
std::string traffic_in_json(const transport::TrafficCounts& counts, int ranks) {
  std::map<int, MovedBytes> peers;
  counts.for_each([&](const transport::PeerTraffic& each) {
    if (each.peer < ranks) peers[each.peer].add(each);
  });
  std::vector<std::string> lines;
  for (const auto& [peer, bytes] : peers) lines.push_back(fmt::format("[{}, {}, {}]", peer, bytes.sent, bytes.fetched));
  return fmt::format("[{}]", fmt::join(lines, ", "));
}

std::string collectives_in_json(const HeardUses& uses) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < uses.algorithm_calls().size(); ++i) {
    const std::string_view name = uses.algorithm_names()[i];
    const std::size_t slash = name.find('/');
    if (const std::uint64_t calls = uses.algorithm_calls()[i]; calls > 0)
      lines.push_back(fmt::format(R"(  {{"operation": {}, "algorithm": {}, "calls": {}}})",
                                  json_string(name.substr(0, slash)), json_string(name.substr(slash + 1)), calls));
  }
  return fmt::format("[\n{}]", fmt::join(lines, ",\n"));
}

std::string files_in_json(const HeardUses& uses) {
  return fmt::format(R"({{"reads": {}, "bytes_read": {}, "writes": {}, "bytes_written": {}}})", uses.reads().number,
                     uses.reads().bytes, uses.writes().number, uses.writes().bytes);
}

std::string memory_in_json(const Report& report) {
  std::vector<std::string> points;
  for (const MemoryTrace::Point& each : report.memory().points()) {
    const double at = static_cast<double>(each.at - report.began()) * nanosecond;
    points.push_back(fmt::format("[{:.3f}, {}]", at, each.bytes));
  }
  return fmt::format(R"({{"resident_peak": {}, "over_time": [{}]}})", resident_peak(), fmt::join(points, ", "));
}

using EagerMessages = std::array<std::uint64_t, MessageSizes::rows>;

EagerMessages eager_messages(const transport::TrafficCounts& counts) {
  EagerMessages sum{};
  counts.for_each([&](const transport::PeerTraffic& each) {
    for (std::size_t row = 0; row < each.eager.size(); ++row) sum[row] += each.eager[row];
  });
  return sum;
}

std::string sizes_in_json(const Report& report) {
  const EagerMessages eager = eager_messages(report.traffic());
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < eager.size(); ++row) {
    if (const std::uint64_t announced = report.announced().number(row); eager[row] + announced > 0)
      rows.push_back(fmt::format("[{}, {}, {}]", MessageSizes::lower(row), eager[row], announced));
  }
  return fmt::format("[{}]", fmt::join(rows, ", "));
}

std::string adapters_in_json(const transport::TrafficCounts& counts) {
  std::map<std::string, MovedBytes> ways;
  counts.for_each([&](const transport::PeerTraffic& each) { ways[each.way].add(each); });
  std::vector<std::string> lines;
  for (const auto& [way, bytes] : ways)
    lines.push_back(
        fmt::format(R"({{"name": {}, "sent": {}, "fetched": {}}})", json_string(way), bytes.sent, bytes.fetched));
  return fmt::format("[{}]", fmt::join(lines, ", "));
}

std::string counters_in_json(const transport::TrafficCounts& counts) {
  const EagerMessages eager = eager_messages(counts);
  std::vector<std::string> lines{
      fmt::format(R"("eager_messages": {})", std::accumulate(eager.begin(), eager.end(), std::uint64_t{0}))};
  for (const Measure* each : Measure::all())
    lines.push_back(fmt::format("{}: {}", json_string(each->name()), each->value()));
  return fmt::format("{{{}}}", fmt::join(lines, ", "));
}

}  // namespace

std::string record_of(const Report& report, const WhoReports& who) {
  const Sites sites = sorted(report.sites());
  auto [waited, worked] = report.other_waits();
  for (const CallSites::Site* each : sites) {
    waited += each->waited.load(std::memory_order_relaxed);
    worked += each->worked.load(std::memory_order_relaxed);
  }
  const bool sampled = report.not_sampled().empty();
  std::string text = "{\n \"bowline_report\": 1,\n";
  const auto add = [&](std::string_view key, std::string_view value) {
    text += fmt::format(" \"{}\": {},\n", key, value);
  };
  add("rank", std::to_string(who.rank));
  add("ranks", std::to_string(who.ranks));
  add("host", json_string(who.host));
  add("command", json_string(command()));
  add("library", json_string(version_alone()));
  add("elapsed", fmt::format("{:.6f}", static_cast<double>(report.ended() - report.began()) * nanosecond));
  add("waiting", fmt::format("{:.6f}", seconds(waited)));
  add("transfer", sampled ? fmt::format("{:.6f}", seconds(worked)) : "null");
  add("sampled", sampled ? "true" : "false");
  add("note", json_string(report.not_sampled()));
  add("sites", sites_in_json(sites));
  add("sizes", sizes_in_json(report));
  add("adapters", adapters_in_json(report.traffic()));
  add("traffic", traffic_in_json(report.traffic(), who.ranks));
  add("collectives", collectives_in_json(report.uses()));
  add("files", files_in_json(report.uses()));
  add("memory", memory_in_json(report));
  return text += fmt::format(" \"counters\": {}\n}}\n", counters_in_json(report.traffic()));
}

}  // namespace bowline::runtime
