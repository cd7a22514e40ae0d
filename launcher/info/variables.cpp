// SPDX-License-Identifier: BSD-3-Clause
// See variables.hpp.
#include "launcher/info/variables.hpp"

#include <fmt/format.h>

#include <cctype>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/tools/object_variables.hpp"
#include "base/counter.hpp"
#include "base/events/event.hpp"
#include "base/other_variables.hpp"
#include "base/tunable.hpp"
#include "base/variable.hpp"

namespace bowline::launcher {
namespace {

std::string_view audience_of(const TunableTraits& traits) {
  switch (traits.audience) {
    case Audience::users:
      return "for users";
    case Audience::tuners:
      return "for tuners";
    case Audience::developers:
      break;
  }
  return "for developers";
}

std::string_view kind_of(const Measure& measure) {
  switch (measure.kind()) {
    case Measure::Kind::counter:
      return "counter";
    case Measure::Kind::timer:
      return "timer, in nanoseconds";
    case Measure::Kind::level:
      return "level";
    case Measure::Kind::peak:
      break;
  }
  return "highwatermark";
}

/// What a tool finds.
struct Entry {
  std::string name;
  std::string kind;
  std::string help;
  std::string default_text{};  ///< this and the next one: of control variables
  std::string allowed{};
};

Entry entry_of(const TunableBase& tunable) {
  const TunableTraits& traits = tunable.traits();
  return {std::string(tunable.environment_name()),
          fmt::format("control; {}; {}{}", audience_of(traits),
                      traits.change == Change::any_time ? "may change at any time" : "may change before MPI starts",
                      traits.agreement == Agreement::all_equal ? "; equal at all ranks" : ""),
          std::string(tunable.help()), tunable.default_text(), tunable.range_text()};
}

Entry entry_of(const Measure& measure) {
  return {std::string(measure.name()), fmt::format("performance; {}", kind_of(measure)), std::string(measure.help())};
}

Entry entry_of(const ObjectVariable& variable) {
  const std::string_view kind = variable.kind() == ObjectVariable::Kind::counter ? "counter for each adapter"
                                : variable.kind() == ObjectVariable::Kind::size
                                    ? "size for each rank of a communicator"
                                    : "level for each rank of a communicator";
  return {std::string(variable.name()), fmt::format("performance; {}", kind), std::string(variable.help())};
}

Entry entry_of(const EventKind& event) {
  std::string elements;
  for (const EventField& each : event.fields())
    elements += fmt::format("{}{}", elements.empty() ? "event; " : ", ", each.name);
  return {std::string(event.name()), elements, std::string(event.help())};
}

template <class Variables, class CategoryOf>
void add(std::vector<Entry>& entries, const Variables& all, Category category, CategoryOf category_of) {
  for (const auto* const each : all) {
    if (category_of(*each) == category) entries.push_back(entry_of(*each));
  }
}

std::vector<Entry> entries_of(Category category) {
  std::vector<Entry> entries;
  add(entries, TunableBase::all(), category, [](const TunableBase& each) { return each.traits().category; });
  add(entries, Measure::all(), category, [](const Measure& each) { return each.category(); });
  add(entries, api::object_variables(), category, [](const ObjectVariable& each) { return each.category(); });
  add(entries, EventKind::all(), category, [](const EventKind& each) { return each.category(); });
  return entries;
}

void print_text() {
  fmt::print("variables and events for tools (MPI_T), by category\n");
  for (std::size_t i = 0; i < category_texts.size(); ++i) {
    fmt::print("  {}: {}\n", category_texts[i].name, category_texts[i].help);
    for (const Entry& each : entries_of(static_cast<Category>(i)))
      fmt::print("    {} ({})\n        {}\n", each.name, each.kind, each.help);
  }
}

void print_markdown() {
  fmt::print(
      "# Variables and events for tools\n\n"
      "What a tool finds through MPI_T ([tools.md](tools.md)), by category. `bowline-info --variables=markdown` prints "
      "this\npage from the declarations; an installation without UCX or RDMA adapters has fewer.\n");
  for (std::size_t i = 0; i < category_texts.size(); ++i) {
    const std::vector<Entry> entries = entries_of(static_cast<Category>(i));
    if (entries.empty()) continue;
    std::string title(category_texts[i].name);
    fmt::print("\n## {}\n\n{}\n\n| name | kind | meaning |\n| --- | --- | --- |\n", title, category_texts[i].help);
    for (const Entry& each : entries) fmt::print("| `{}` | {} | {} |\n", each.name, each.kind, each.help);
  }
}

nlohmann::ordered_json document_of(const Entry& entry) {
  const std::size_t end = entry.kind.find(';');  // behind it stand the traits
  nlohmann::ordered_json document = {{"name", entry.name}, {"kind", entry.kind.substr(0, end)}, {"help", entry.help}};
  if (end != std::string::npos) document["traits"] = entry.kind.substr(end + 2);
  if (document["kind"] != "control") return document;
  document["default"] = entry.default_text;
  document["allowed"] = entry.allowed;
  return document;
}

void print_json() {
  nlohmann::ordered_json categories = nlohmann::ordered_json::array(), others = categories;
  for (std::size_t i = 0; i < category_texts.size(); ++i) {
    nlohmann::ordered_json variables = nlohmann::ordered_json::array();
    for (const Entry& each : entries_of(static_cast<Category>(i))) variables.push_back(document_of(each));
    categories.push_back(
        {{"name", category_texts[i].name}, {"help", category_texts[i].help}, {"variables", variables}});
  }
  for (const OtherVariable& each : other_variables) others.push_back({{"name", each.name}, {"help", each.help}});
  fmt::print("{}\n", nlohmann::ordered_json{{"categories", categories}, {"other_variables", others}}.dump(1));
}

}  // namespace

void print_variables(std::string_view form) {
  if (form == "markdown") {
    print_markdown();
  } else if (form == "json") {
    print_json();
  } else {
    print_text();
  }
}

}  // namespace bowline::launcher
