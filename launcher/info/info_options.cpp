// SPDX-License-Identifier: BSD-3-Clause
// Parses the command line with CLI11. Values are texts first, so that each option has its own error message.
#include "launcher/info/info_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/number.hpp"
#include "coll/channel/algorithm.hpp"
#include "launcher/command_line/help.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

constexpr std::array variable_forms = {"text", "markdown", "json"};
constexpr std::array coverages = {"all", "implemented", "missing", "summary"};
constexpr std::int64_t most_ranks = std::numeric_limits<int>::max();
constexpr std::int64_t most_nodes = 1 << 20;
constexpr std::int64_t most_seconds = 24 * 60 * 60;
constexpr std::int64_t most_bytes = std::int64_t{1} << 60;

struct Raw {
  std::string coverage, variables, operation, ranks, bytes, abi, nodes, seconds;
};

void declare(CLI::App& cli, Wanted& wanted, Raw& raw) {
  cli.allow_extras();
  declare_help(cli);
  cli.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  const auto add_flag = [&cli](const char* name, bool& value, const char* help) {
    cli.add_flag(name, value, help)->disable_flag_override();
  };
  add_flag("-V,--version", wanted.version, "Print the version alone");
  add_flag("--tunables", wanted.tunables, "List the settings with their values, defaults and ranges");
  cli.add_option(
         "--variables", raw.variables,
         "List the variables and events that tools find (MPI_T), by category: as text (default), as the page of "
         "the documentation, or as a document, which has all variables of the environment")
      ->expected(0, 1)
      ->default_str("text")
      ->type_name("text|markdown|json");
  add_flag("--transports", wanted.transports,
           "List the transports, and the ports of RDMA adapters, with what is chosen");
  add_flag("--protocols", wanted.protocols, "List which protocol serves messages of which length");
  add_flag("--windows", wanted.windows, "List how one-sided operations reach the memory of a target");
  cli.add_option("--coverage", raw.coverage, "List the entry points of MPI 5.0 (default: all)")
      ->expected(0, 1)
      ->default_str("all")
      ->type_name("all|implemented|missing|summary");
  add_flag("--collectives", wanted.collectives,
           "List the algorithms of the collectives and the rules that choose them");
  cli.add_option("--op", raw.operation, "With --collectives: this operation alone, such as allreduce")
      ->type_name("NAME");
  cli.add_option("--ranks", raw.ranks, "With --collectives: what would run among so many ranks")->type_name("N");
  cli.add_option("--bytes", raw.bytes, "With --ranks: for this length, such as 8K")->type_name("N");
  add_flag("--oversubscribed", wanted.question.oversubscribed, "With --ranks: when there are more ranks than cores");
  add_flag("--several-nodes", wanted.question.several_nodes, "With --ranks: when they run on several nodes");
  add_flag("--ordered", wanted.question.ordered, "With --ranks: for an operator that is not commutative");
  add_flag("--doctor", wanted.doctor, "Check what ranks need on this node; status 1 when they cannot work");
  add_flag(
      "--selftest", wanted.selftest,
      "Try everything that ranks do here, check data, say how fast, and what to mend; status 1 if something fails");
  cli.add_option("--nodes", raw.nodes, "With --selftest: on so many nodes of this Slurm allocation")->type_name("N");
  cli.add_option("--seconds", raw.seconds, "With --selftest: begin nothing after so long (default 120)")
      ->type_name("S");
  cli.add_option("--abi", raw.abi, "Say for which MPI this program was built, and what Bowline does for it")
      ->type_name("PROGRAM");
  add_flag("--all", wanted.all, "Everything");
}

std::int64_t to_number(const char* option, const std::string& text, std::int64_t least, std::int64_t most) {
  const auto number = parse_number(text);
  if (number && *number >= least && *number <= most) return *number;
  throw UsageError("{} {}: must be a whole number from {} to {}, such as 64 or 4K (K, M, G may follow)", option, text,
                   least, most);
}

std::string to_operation(const std::string& text) {
  if (coll::find_operation(text)) return text;
  std::string names;
  for (int number = 0; number < coll::operations; ++number) {
    names += (number == 0 ? "" : ", ") + std::string(coll::name_of(static_cast<coll::Operation>(number)));
  }
  throw UsageError("--op {}: must be one of {}", text, names);
}

std::string to_coverage(const std::string& text) {
  if (std::ranges::find(coverages, text) != coverages.end()) return text;
  throw UsageError("--coverage {}: must be one of all, implemented, missing, summary", text);
}

std::string to_variable_form(const std::string& text) {
  if (std::ranges::find(variable_forms, text) != variable_forms.end()) return text;
  throw UsageError("--variables {}: must be text, markdown or json", text);
}

/// Throws UsageError for an option without the other option that it needs.
void check_beside(const CLI::App& cli) {
  constexpr std::pair<const char*, const char*> beside[] = {
      {"--op", "--collectives"},         {"--ranks", "--collectives"},     {"--bytes", "--ranks N"},
      {"--oversubscribed", "--ranks N"}, {"--several-nodes", "--ranks N"}, {"--ordered", "--ranks N"},
      {"--nodes", "--selftest"},         {"--seconds", "--selftest"}};
  for (const auto& [option, other] : beside) {
    const std::string name = other;
    if (cli.count(option) > 0 && cli.count(name.substr(0, name.find(' '))) == 0)
      throw UsageError("{} says nothing without {}: give both", option, other);
  }
}

/// CLI11's message names the option first, flags without their dashes, and only its words distinguish the two mistakes.
[[noreturn]] void throw_mismatch(const std::string& said) {
  std::string option = said.substr(0, said.find_first_of(": "));
  if (!option.starts_with('-')) option.insert(0, option.size() == 1 ? "-" : "--");
  if (said.find("flag override") != std::string::npos) throw UsageError("{} takes no value: leave it away", option);
  throw UsageError("{} needs a value behind it; bowline-info --help says which", option);
}

}  // namespace

Wanted parse_info_options(std::span<const std::string> arguments) {
  CLI::App cli("Says what this Bowline library is and can do.", "bowline-info");
  Wanted wanted;
  Raw raw;
  declare(cli, wanted, raw);
  try {
    cli.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));  // CLI11 takes the words from the back
  } catch (const CLI::CallForHelp&) {
    wanted.help = requested_help(cli);
    return wanted;
  } catch (const CLI::ArgumentMismatch& error) {
    throw_mismatch(error.what());
  } catch (const CLI::ParseError& error) {
    throw UsageError("{}; bowline-info --help lists the options", error.what());
  }
  for (const std::string& word : cli.remaining()) {
    throw UsageError("{} is no option; bowline-info --help lists them", word.empty() ? "an empty argument" : word);
  }
  check_beside(cli);
  if (cli.count("--coverage") > 0) wanted.coverage = to_coverage(raw.coverage.empty() ? "all" : raw.coverage);
  if (cli.count("--variables") > 0) wanted.variables = to_variable_form(raw.variables.empty() ? "text" : raw.variables);
  if (cli.count("--abi") > 0) wanted.program = raw.abi;
  if (cli.count("--nodes") > 0)
    wanted.selftest_options.nodes = static_cast<int>(to_number("--nodes", raw.nodes, 1, most_nodes));
  if (cli.count("--seconds") > 0)
    wanted.selftest_options.seconds = static_cast<int>(to_number("--seconds", raw.seconds, 1, most_seconds));
  if (cli.count("--op") > 0) wanted.question.operation = to_operation(raw.operation);
  if (cli.count("--ranks") > 0)
    wanted.question.ranks = static_cast<int>(to_number("--ranks", raw.ranks, 1, most_ranks));
  if (cli.count("--bytes") > 0)
    wanted.question.bytes = static_cast<std::size_t>(to_number("--bytes", raw.bytes, 0, most_bytes));
  return wanted;
}

}  // namespace bowline::launcher
