// SPDX-License-Identifier: BSD-3-Clause
#include "simulator/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/error.hpp"
#include "base/number.hpp"
#include "launcher/command_line/help.hpp"

namespace bowline::sim {
namespace {

constexpr std::int64_t most_bytes = std::int64_t{1} << 40;
constexpr std::int64_t most_ranks = std::int64_t{1} << 24;  // they need about 40 GiB

/// The texts as they were given.
struct Raw {
  std::string operation;
  std::vector<std::string> algorithms;
  std::vector<std::string> bytes = {"8"};
  std::vector<std::string> nodes = {"1"};
  std::string ranks_per_node = "1";
  std::string root = "0";
  std::string segment = "64K";
  std::string calls = "1";
  std::vector<std::string> known = {"node", "switch", "group"};
  std::vector<std::string> stages;
  std::string placement = "block";
  std::string machine;
  std::string switches;
};

void declare(CLI::App& cli, Options& options, Raw& raw) {
  launcher::declare_help(cli);
  cli.add_option("--op", raw.operation, "The operation, e.g. allreduce (see --list)")->type_name("NAME");
  cli.add_option("--algorithm", raw.algorithms, "Its algorithms, or all; without it what would be chosen")
      ->type_name("NAME[,...]")
      ->delimiter(',');
  cli.add_option(
         "--bytes", raw.bytes,
         "All data of a broadcast or reduction, one member's block of the others (default 8; K, M, G may follow)")
      ->type_name("N[,...]")
      ->delimiter(',');
  cli.add_option("--nodes", raw.nodes, "Number of nodes (default 1)")->type_name("N[,...]")->delimiter(',');
  cli.add_option("--ppn", raw.ranks_per_node, "Ranks per node (default 1)")->type_name("N");
  cli.add_option("--root", raw.root, "Root (default 0)")->type_name("RANK");
  cli.add_flag("--ordered", options.ordered, "The operator does not commute");
  cli.add_option("--segment", raw.segment, "Bytes that pipelines move at once (default 64K)")->type_name("N");
  cli.add_option("--calls", raw.calls,
                 "Calls in a row, each with another root; printed is the time per call (default 1)")
      ->type_name("N");
  cli.add_option("--placement", raw.placement,
                 "How ranks go to nodes: node after node (default: block), or one to each node in turn")
      ->type_name("block|cyclic");
  cli.add_option("--machine", raw.machine, "JSON file with what is measured of a machine (see --print-machine)")
      ->type_name("FILE");
  cli.add_option("--switches", raw.switches, "The network's switches, instead of what the machine has")
      ->type_name("fat_tree|dragonfly");
  cli.add_option("--known", raw.known, "What composed algorithms know (default: node,switch,group)")
      ->type_name("cache|socket|node|switch|group[,...]")
      ->delimiter(',');
  cli.add_option("--stage", raw.stages, "Algorithm of an operation in the stages of a level of composed algorithms")
      ->type_name("OP:LEVEL=NAME[/SEGMENT]");
  cli.add_flag("--list", options.list,
               "Print all operations and the algorithms that send messages, which can be simulated");
  cli.add_flag("--print-machine", options.print_machine, "Print the machine's description as JSON");
  cli.add_flag("--csv", options.csv, "A line of values for each point, after a line of names");
  cli.add_flag("--quiet", options.quiet, "No news on standard error while it takes long");
}

std::int64_t number_of(const char* option, const std::string& text, std::int64_t least, std::int64_t most) {
  const auto number = parse_number(text);
  if (number && *number >= least && *number <= most) return *number;
  throw UsageError(fmt::format("{}: '{}' is no whole number from {} to {} (K, M, G may follow)", option, text, least,
                               number_text(static_cast<std::size_t>(most))));
}

/// The one of two names that was given.
bool first_of(const char* option, const std::string& text, std::string_view first, std::string_view second) {
  if (text == first || text == second) return text == first;
  throw UsageError(fmt::format("{}: '{}' is not allowed; allowed are {} and {}", option, text, first, second));
}

coll::Operation operation_of(const std::string& name) {
  if (const auto found = coll::find_operation(name)) return *found;
  throw UsageError(fmt::format("there is no operation '{}': --list prints all", name));
}

Level level_of(const std::string& name) {
  for (int number = 0; number < coll::levels; ++number) {
    if (coll::name_of(static_cast<Level>(number)) == name) return static_cast<Level>(number);
  }
  throw UsageError(fmt::format("there is no level '{}'; allowed are cache, socket, node, switch, group, system", name));
}

const coll::Algorithm& algorithm_of(coll::Operation operation, const std::string& name) {
  std::vector<std::string_view> names;
  for (const coll::Algorithm* const algorithm : by_messages(operation)) {
    if (algorithm->name == name) return *algorithm;
    names.push_back(algorithm->name);
  }
  if (coll::find_algorithm(operation, name) != nullptr) {
    throw UsageError(fmt::format(
        "{} by {} cannot be simulated, because it works in memory that ranks share, of which the simulator has no "
        "model; those that send messages are {}",
        coll::name_of(operation), name, fmt::join(names, ", ")));
  }
  throw UsageError(
      fmt::format("{} has no algorithm '{}'; it has {}", coll::name_of(operation), name, fmt::join(names, ", ")));
}

/// From "bcast:node=chain/8192".
coll::Hierarchy::Fixed stage_of(const std::string& text) {
  const std::size_t colon = text.find(':');
  const std::size_t equals = text.find('=', colon == std::string::npos ? 0 : colon);
  if (colon == std::string::npos || equals == std::string::npos) {
    throw UsageError(fmt::format("--stage {}: expected OP:LEVEL=NAME or OP:LEVEL=NAME/SEGMENT", text));
  }
  const std::size_t slash = std::min(text.find('/', equals), text.size());
  const coll::Operation operation = operation_of(text.substr(0, colon));
  const coll::Algorithm& algorithm = algorithm_of(operation, text.substr(equals + 1, slash - equals - 1));
  std::size_t segment = 0;
  if (slash < text.size()) {
    segment = static_cast<std::size_t>(number_of("--stage", text.substr(slash + 1), 1, most_bytes));
  }
  return {operation, level_of(text.substr(colon + 1, equals - colon - 1)), &algorithm, segment};
}

void choose_algorithms(Options& options, const Raw& raw) {
  for (const std::string& name : raw.algorithms) {
    if (name == "all") {
      std::ranges::copy(by_messages(options.operation), std::back_inserter(options.algorithms));
    } else {
      options.algorithms.push_back(&algorithm_of(options.operation, name));
    }
  }
}

void read_numbers(Options& options, const Raw& raw) {
  options.ranks_per_node = static_cast<int>(number_of("--ppn", raw.ranks_per_node, 1, 1 << 16));
  for (const std::string& text : raw.nodes) {
    options.nodes.push_back(static_cast<int>(number_of("--nodes", text, 1, most_ranks)));
    if (std::int64_t{options.nodes.back()} * options.ranks_per_node > most_ranks) {
      throw UsageError(fmt::format("--nodes {} with --ppn {} are too many ranks; at most {} can be simulated", text,
                                   options.ranks_per_node, most_ranks));
    }
  }
  for (const std::string& text : raw.bytes) {
    options.bytes.push_back(static_cast<std::size_t>(number_of("--bytes", text, 0, most_bytes)));
  }
  if (options.operation == coll::Operation::barrier) options.bytes = {0};
  options.segment = static_cast<std::size_t>(number_of("--segment", raw.segment, 1, most_bytes));
  options.calls = static_cast<int>(number_of("--calls", raw.calls, 1, 1 << 20));
  const int fewest = std::ranges::min(options.nodes) * options.ranks_per_node;
  options.root = static_cast<int>(number_of("--root", raw.root, 0, fewest - 1));
}

void interpret(Options& options, const Raw& raw) {
  try {
    options.parameters = raw.machine.empty() ? default_parameters() : read_parameters(raw.machine);
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  if (!raw.switches.empty()) {
    const bool tree = first_of("--switches", raw.switches, "fat_tree", "dragonfly");
    options.parameters.switches = tree ? Switches::fat_tree : Switches::dragonfly;
  }
  if (options.list || options.print_machine) return;
  if (raw.operation.empty()) throw UsageError("--op is missing: which operation to simulate, e.g. --op allreduce");
  options.operation = operation_of(raw.operation);
  options.placement = first_of("--placement", raw.placement, "block", "cyclic") ? Placement::block : Placement::cyclic;
  for (const std::string& name : raw.known) options.known.push_back(level_of(name));
  for (const std::string& text : raw.stages) options.stages.push_back(stage_of(text));
  choose_algorithms(options, raw);
  read_numbers(options, raw);
}

}  // namespace

std::vector<const coll::Algorithm*> by_messages(coll::Operation operation) {
  std::vector<const coll::Algorithm*> found;
  for (const coll::Algorithm& algorithm : coll::algorithms(operation)) {
    if (!algorithm.shared) found.push_back(&algorithm);
  }
  return found;
}

std::optional<Options> parse(int argc, const char* const* argv) {
  CLI::App cli(
      "Simulates the library's collective algorithms on a machine of any size: completion time, messages and "
      "bytes per level of hardware, memory",
      "bowline-sim");
  Options options;
  Raw raw;
  declare(cli, options, raw);
  try {
    cli.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", launcher::requested_help(cli));
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{}; --help lists the options", error.what()));
  }
  interpret(options, raw);
  return options;
}

}  // namespace bowline::sim
