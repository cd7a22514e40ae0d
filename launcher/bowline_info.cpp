// SPDX-License-Identifier: BSD-3-Clause
// bowline-info: what this library is, which transports, protocols and collective algorithms it has, its tunables, what
// of MPI it implements, and whether this node lets it work well.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "api/coverage.hpp"
#include "api/version.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "base/tunable.hpp"
#include "coll/algorithm.hpp"
#include "launcher/collectives.hpp"
#include "launcher/doctor.hpp"
#include "launcher/protocols.hpp"

namespace {

using bowline::launcher::Finding;

void print_version() {
  fmt::print("version     {}\n", bowline::api::library_version());
  fmt::print("build       {}\n", bowline::api::build_description());
}

/// The transports by name, and for each that cannot be used, why.
void print_transports() {
  const auto findings = bowline::launcher::examine_node();
  const auto memory =
      std::find_if(findings.begin(), findings.end(), [](const Finding& f) { return f.what == "shared memory"; });
  fmt::print("transports\n");
  fmt::print("  self      ready\n");
  fmt::print("  shm       {}{}\n",
             memory->verdict == Finding::Verdict::good ? "ready: " : "cannot be used: ", memory->detail);
  for (const char* name : {"ucx", "verbs"}) {
    fmt::print("  {:<9} not part of this version: all ranks of a job must be on one node\n", name);
  }
}

std::string or_nothing(const std::string& text) {
  return text.empty() ? "nothing" : text;
}

void print_tunables() {
  fmt::print("tunables (environment variable = value in this environment)\n");
  for (const bowline::TunableBase* tunable : bowline::TunableBase::all()) {
    fmt::print("  {} = {}\n      {} (default {}, allowed {})\n", tunable->environment_name(),
               or_nothing(tunable->value_text()), tunable->help(), or_nothing(tunable->default_text()),
               tunable->range_text());
  }
}

void print_coverage_summary() {
  size_t functions = 0, functions_done = 0, all_done = 0;
  const auto entries = bowline::api::coverage();
  for (const auto& entry : entries) {
    all_done += entry.implemented ? 1 : 0;
    if (entry.large) continue;
    ++functions;
    functions_done += entry.implemented ? 1 : 0;
  }
  fmt::print("coverage    {} of {} functions, {} of {} entry points with large count\n", functions_done, functions,
             all_done, entries.size());
}

void print_coverage(std::string_view which) {
  if (which == "all" || which == "summary") print_coverage_summary();
  if (which == "summary") return;
  for (const auto& entry : bowline::api::coverage()) {
    if (which == "all")
      fmt::print("  {:<12} {}\n", entry.implemented ? "implemented" : "missing", entry.name);
    else if (entry.implemented == (which == "implemented"))
      fmt::print("{}\n", entry.name);
  }
}

/// Returns whether ranks can work on this node.
bool print_findings() {
  bool works = true;
  fmt::print("this node\n");
  for (const Finding& finding : bowline::launcher::examine_node()) {
    constexpr const char* words[] = {"good", "slower", "BROKEN"};
    works &= finding.verdict != Finding::Verdict::broken;
    fmt::print("  {:<7} {}: {}\n", words[static_cast<int>(finding.verdict)], finding.what, finding.detail);
  }
  return works;
}

struct Wanted {
  bool version = false, tunables = false, protocols = false, all = false, doctor = false;
  std::string coverage;
  bool collectives = false;
  bowline::launcher::CollectiveQuestion question;
};

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  names.reserve(bowline::coll::operations);
  for (int i = 0; i < bowline::coll::operations; ++i) {
    names.emplace_back(bowline::coll::name_of(static_cast<bowline::coll::Operation>(i)));
  }
  return names;
}

/// A whole number, behind which K, M or G may stand.
std::int64_t number_from(const std::string& text, std::int64_t least, std::int64_t most) {
  const auto number = bowline::parse_number(text);
  if (number && *number >= least && *number <= most) return *number;
  throw CLI::ValidationError(
      fmt::format("\"{}\" is no whole number from {} to {} (K, M, G may follow)", text, least, most));
}

void declare_question(CLI::App& cli, CLI::Option& collectives, bowline::launcher::CollectiveQuestion& question) {
  cli.add_option("--op", question.operation, "With --collectives: this operation alone, such as allreduce")
      ->needs(&collectives)
      ->check(CLI::IsMember(operation_names()));
  CLI::Option* const ranks = cli.add_option_function<std::string>(
                                    "--ranks",
                                    [&](const std::string& text) {
                                      question.ranks =
                                          static_cast<int>(number_from(text, 1, std::numeric_limits<int>::max()));
                                    },
                                    "With --collectives: what would run among so many ranks")
                                 ->needs(&collectives);
  cli.add_option_function<std::string>(
         "--bytes",
         [&](const std::string& text) {
           question.bytes = static_cast<std::size_t>(number_from(text, 0, std::int64_t{1} << 60));
         },
         "With --ranks: for this length, such as 8K")
      ->needs(ranks);
  cli.add_flag("--crowded", question.crowded, "With --ranks: when there are more ranks than cores")->needs(ranks);
  cli.add_flag("--several-nodes", question.several_nodes, "With --ranks: when they run on several nodes")->needs(ranks);
  cli.add_flag("--ordered", question.ordered, "With --ranks: for an operator that is not commutative")->needs(ranks);
}

void declare(CLI::App& cli, Wanted& wanted) {
  cli.add_flag("-V,--version", wanted.version, "Print the version alone");
  cli.add_flag("--tunables", wanted.tunables, "List the settings with their values, defaults and ranges");
  cli.add_flag("--protocols", wanted.protocols, "List which protocol serves messages of which length");
  cli.add_option("--coverage", wanted.coverage,
                 "List the entry points of MPI 5.0: all (default), implemented, missing, or a summary")
      ->expected(0, 1)
      ->default_str("all")
      ->check(CLI::IsMember({"all", "implemented", "missing", "summary"}));
  CLI::Option* const collectives = cli.add_flag(
      "--collectives", wanted.collectives, "List the algorithms of the collectives and the rules that choose them");
  declare_question(cli, *collectives, wanted.question);
  cli.add_flag("--doctor", wanted.doctor, "Check what ranks need on this node; status 1 when they cannot work");
  cli.add_flag("--all", wanted.all, "Everything");
}

int print(const Wanted& wanted, bool coverage_wanted) {
  if (wanted.version) {
    fmt::print("{}\n", bowline::api::library_version());
    return 0;
  }
  const bool nothing_special =
      !wanted.tunables && !wanted.protocols && !wanted.collectives && !wanted.doctor && !coverage_wanted;
  if (wanted.all || nothing_special) {
    print_version();
    print_transports();
  }
  if (nothing_special && !wanted.all) print_coverage_summary();
  if (wanted.all || coverage_wanted) print_coverage(wanted.coverage.empty() ? "all" : wanted.coverage);
  if (wanted.all || wanted.protocols) bowline::launcher::print_protocols();
  if (wanted.all || wanted.collectives) bowline::launcher::print_collectives(wanted.question);
  if (wanted.all || wanted.tunables) print_tunables();
  return (wanted.all || wanted.doctor) && !print_findings() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App cli("Says what this Bowline library is and can do.", "bowline-info");
  Wanted wanted;
  declare(cli, wanted);
  try {
    cli.parse(argc, argv);
    bowline::tunables::load_environment();
    return print(wanted, cli.count("--coverage") > 0);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", cli.help());
    return 0;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "bowline-info: {}; bowline-info --help lists the options\n", error.what());
    return 2;
  } catch (const bowline::Error& error) {
    fmt::print(stderr, "bowline-info: {}\n", error.what());
    return 2;
  }
}
