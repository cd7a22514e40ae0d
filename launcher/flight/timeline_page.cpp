// SPDX-License-Identifier: BSD-3-Clause
// The page around a timeline: the sentences first, then the picture, who waited for whom, and the last events.
#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <set>
#include <tuple>

#include "launcher/flight/flight_output.hpp"
#include "launcher/flight/flight_words.hpp"
#include "launcher/flight/timeline_parts.hpp"
#include "launcher/report/html_parts.hpp"
#include "launcher/report/report_words.hpp"

namespace bowline::launcher {
namespace {

std::string number_in_words(const FlightStory& story) {
  std::set<std::string> hosts;
  for (const RankStory& rank : story.ranks) hosts.insert(rank.flight->host);
  return fmt::format("{} on {}", counted(static_cast<std::uint64_t>(story.job->ranks), "rank", "ranks"),
                     counted(hosts.size(), "node", "nodes"));
}

std::string head_of_timeline(const FlightStory& story, const TimelineFrame& frame) {
  constexpr std::int64_t second = 1000000000;
  const std::string title = (story.running ? "The last moments of " : "The end of ") + number_in_words(story);
  const auto day = fmt::format("{:%Y-%m-%d}", fmt::localtime(static_cast<std::time_t>(frame.zero / second)));
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n<style>{1}{2}</style>\n</head>\n"
      "<body>\n<main>\n<header><p class=\"kind\">Flight recording</p>\n<h1>{0}</h1>\n<p>0 of the time is {3} {4}</p>"
      "</header>\n",
      escaped(title), page_style(), timeline_style(), day, clock_in_words(frame.zero));
}

std::string sentences_part(const FlightStory& story) {
  const char* const verdict = story.first ? "poor" : story.running ? "unknown" : "good";
  std::string html = fmt::format("<section class=\"finding {}\">", verdict);
  for (const std::string& sentence : story_in_words(story)) html += fmt::format("<p>{}</p>", escaped(sentence));
  for (const std::string& problem : story.job->problems) html += fmt::format("<p>{}.</p>", escaped(problem));
  return html + "</section>\n";
}

std::string picture_part(const FlightStory& story, const TimelineFrame& frame) {
  std::string html = "<section class=\"long\"><h2>Timeline</h2>\n<p class=\"legend\">";
  for (const auto& [name, text] : timeline_legend())
    html += fmt::format("<span><i class=\"key-{}\"></i>{}</span>", name, text);
  html += "</p>\n" + open_picture(frame.height() + TimelineFrame::below, timeline_description(story)) +
          timeline_content(story, frame) + std::string(close_picture);
  if (const std::size_t left_out = story.ranks.size() - frame.rows.size(); left_out > 0)
    html += fmt::format(
        "<p>{} left out: shown are the rank that ended first, those that others waited for, those that ended without "
        "MPI_Finalize, and then those of the lowest numbers.</p>\n",
        counted(left_out, "rank is", "ranks are"));
  return html + "</section>\n";
}

/// Ranks that waited for the same process in the same operation share a row.
std::string waits_part(const FlightStory& story) {
  if (story.waiting.empty()) return "";
  struct Row {
    std::vector<int> ranks;
    std::int64_t since;
  };
  std::map<std::pair<int, std::string>, Row> rows;
  for (const WaitingRank& each : story.waiting) {
    Row& row = rows.try_emplace({each.peer, each.operation}, Row{{}, each.since}).first->second;
    row.ranks.push_back(each.rank);
    row.since = std::min(row.since, each.since);
  }
  std::string html = fmt::format(
      "<section><h2>Waiting ranks</h2>\n<p>{}</p>\n<table><thead><tr><th>Waiting</th><th>For</th><th>In</th>"
      "<th class=\"number\">Longest</th></tr></thead><tbody>\n",
      story.noticed_by && !story.running ? fmt::format("When rank {} noticed that rank {} was lost.", *story.noticed_by,
                                                       story.first_rank()->flight->rank)
                                         : "At the last moment of the recordings.");
  for (const auto& [key, row] : rows)
    html += fmt::format("<tr><td>{} {}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td></tr>\n",
                        row.ranks.size() == 1 ? "rank" : "ranks", ranks_in_words(row.ranks),
                        process_in_words(key.first, story.job->ranks),
                        escaped(key.second.empty() ? "another call" : collective_in_words(key.second)),
                        seconds_in_words(static_cast<double>(story.moment - row.since) * 1e-9));
  return html + "</tbody></table>\n</section>\n";
}

/// Of the rank that ended first, or of the one that was the last to do anything.
std::string events_part(const FlightStory& story) {
  constexpr std::size_t most = 20;
  const RankStory& rank =
      story.first ? *story.first_rank() : *std::ranges::max_element(story.ranks, {}, &RankStory::last);
  const std::vector<FlightEvent>& events = rank.flight->events;
  if (events.empty()) return "";
  std::string html =
      fmt::format("<section class=\"long\"><h2>The last events of rank {}</h2>\n<table class=\"events\"><tbody>\n",
                  rank.flight->rank);
  for (std::size_t i = events.size() - std::min(events.size(), most); i < events.size(); ++i)
    html += fmt::format("<tr><td class=\"number\">{}</td><td><code>{}</code></td></tr>\n",
                        clock_in_words(events[i].time), escaped(event_in_words(events[i])));
  return html + "</tbody></table>\n</section>\n";
}

}  // namespace

std::string to_timeline_page(const FlightStory& story) {
  const TimelineFrame frame = frame_of(story);
  return head_of_timeline(story, frame) + sentences_part(story) + picture_part(story, frame) + waits_part(story) +
         events_part(story) +
         fmt::format(
             "<footer>From the {}. docs/reports.md says what the parts mean.</footer>\n</main>\n</body>\n</html>\n",
             counted(story.ranks.size(), "recording of a rank", "recordings of ranks"));
}

}  // namespace bowline::launcher
