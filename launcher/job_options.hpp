// SPDX-License-Identifier: BSD-3-Clause
// The command line of mpiexec as values.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "launcher/command_line/hosts.hpp"
#include "launcher/command_line/placement_options.hpp"

namespace bowline::launcher {

/// One part of the command line between colons: a program and how many ranks run it.
struct App {
  int ranks = 1;
  bool ranks_given = false;
  std::vector<std::string> command;                              ///< program and its arguments
  std::string wdir;                                              ///< empty: where mpiexec was started
  std::string path;                                              ///< where to look for the program before PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to mpiexec's own
  /// Whether the ranks get mpiexec's own environment; if not, only what every login has (environment.hpp). Not set
  /// before all parts are read.
  std::optional<bool> inherit;
};

/// Files that ranks write to, as patterns: %r stands for the rank, %0 for the rank with as many digits as the last one
/// has, %h for the host. Empty: what ranks write is forwarded.
struct OutputFiles {
  std::string out, err;
  bool forwarded = false;  ///< to mpiexec's own output, too
  std::string directory;   ///< made if it is not there; empty: the files' directories have to be there
  std::string option;      ///< what asked for them, for messages
};

struct Options {
  static constexpr int most_ranks = 1 << 30;  ///< of all programs, and per node: sums of two stay whole numbers
  static constexpr int stdin_none = -1, stdin_all = -2;

  std::vector<App> apps;
  std::vector<Host> hosts;
  Placement placement;
  std::optional<int> ranks_per_node;
  bool ranks_wrap = false;  ///< more ranks than ranks_per_node on all nodes are dealt out again, not refused
  bool report_bindings = false;
  bool display_map = false;
  bool display_allocation = false;
  bool verbose = false;
  std::string initial_errhandler;  ///< empty: not chosen
  /// Kinds of memory that the programs want to use and that are none of MPI's or the system's.
  std::vector<std::string> unsupported_memory;
  std::string tag;  ///< before each line of output (tag.hpp); empty: none
  OutputFiles files;
  bool merge_stderr = false;        ///< into standard output
  int stdin_rank = 0;               ///< who reads standard input, or stdin_none or stdin_all
  std::optional<double> timeout_s;  ///< the job is ended when it runs longer
  std::string timeout_name;         ///< what set it, in words
  double grace_s = 5;               ///< time that ranks have to end after a forwarded INT, TERM, HUP or QUIT
  bool grace_given = false;
  std::vector<std::string> warnings;  ///< sentences about options of other launchers that have no effect

  int ranks() const {
    int sum = 0;
    for (const App& app : apps) sum += app.ranks;
    return sum;
  }
};

/// What the command line asks for: to run a job, or to print a text and succeed (--help, --version).
struct Parsed {
  Options options;
  std::optional<std::string> print;
};

/// Parses the arguments after the program's name, in mpiexec's own words and those of Open MPI's and MPICH's
/// (command_line/foreign.hpp). Throws UsageError. Reads the files that the arguments name, MPIEXEC_TIMEOUT, and the
/// variables that are passed on by name.
Parsed parse_options(std::span<const std::string> arguments);

}  // namespace bowline::launcher
