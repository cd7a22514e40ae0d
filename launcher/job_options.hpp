// SPDX-License-Identifier: BSD-3-Clause
// The command line of mpiexec as values.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "launcher/chaos/chaos_settings.hpp"
#include "launcher/command_line/hosts.hpp"
#include "launcher/command_line/placement_options.hpp"

namespace bowline::launcher {

/// One part of the command line between colons: a program and how many ranks run it.
struct App {
  int ranks = 1;
  bool ranks_given = false;
  std::vector<std::string> command;                              ///< program and its arguments
  std::string wdir;                                              ///< empty: where mpiexec was started
  std::string path;                                              ///< directories to search for the program before PATH
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to mpiexec's own
  std::size_t library_variables = 0;                             ///< so many at its end come from choose_libraries()
  /// Whether the ranks get mpiexec's own environment; if not, they get only the login_variables (environment.hpp).
  /// Empty until all parts are read.
  std::optional<bool> inherit;
};

/// Patterns of the files to which ranks write: %r stands for the rank, %0 for the rank with as many digits as the last
/// one has, %h for the host. If a pattern is empty, mpiexec forwards the output of the ranks.
struct OutputFiles {
  std::string out, err;
  bool forwarded = false;  ///< the output also goes to mpiexec's own
  std::string directory;   ///< made if it does not exist; if empty, the files' directories must exist
  std::string option;      ///< the option that requests them, for messages
};

struct Options {
  static constexpr int most_ranks = 1 << 30;  ///< of all programs, and per node
  static constexpr int stdin_none = -1, stdin_all = -2;

  std::vector<App> apps;
  std::vector<Host> hosts;
  Placement placement;
  std::optional<int> ranks_per_node;
  bool ranks_wrap = false;  ///< more ranks than slots on all nodes are distributed in further rounds, not refused
  bool report_bindings = false;
  bool display_map = false;
  bool display_allocation = false;
  bool explain = false;  ///< the job is explained, not run
  bool verbose = false;
  std::string initial_errhandler;  ///< empty: not chosen
  /// Kinds of memory that the user requests and that are neither `mpi` nor `system`.
  std::vector<std::string> unsupported_memory;
  std::string tag;  ///< before each line of output (pattern.hpp); empty: none
  OutputFiles files;
  bool merge_stderr = false;  ///< into standard output
  /// Whether ranks write to a pseudo-terminal, and therefore each line at once; empty: not chosen.
  std::optional<bool> line_buffered;
  int stdin_rank = 0;               ///< the rank that reads standard input, or stdin_none or stdin_all
  std::optional<double> timeout_s;  ///< mpiexec ends a job that runs longer
  std::string timeout_name;         ///< the option or variable that set the limit
  bool keep_going = false;          ///< the job goes on when ranks are lost
  std::optional<ChaosSettings> chaos;
  std::string record;  ///< where the last events of the ranks go, as --record has them; empty: they are not kept
  std::string report;  ///< where the report of the job goes: a file, or "-" for standard output; empty: none
  double grace_s = 5;  ///< time that ranks have to end after a forwarded INT, TERM or HUP
  bool grace_given = false;
  std::optional<int> universe;  ///< number of processes for MPI_UNIVERSE_SIZE; empty: as the slots are
  bool universe_given = false;  ///< by an option, not a variable
  std::vector<int> gdb_ranks;   ///< under gdb from their start, in rising order; with all_under_gdb empty at first
  bool all_under_gdb = false;
  int end_descriptor = -1;            ///< inherited; at its end of file mpiexec ends the job; -1: none
  std::vector<std::string> warnings;  ///< sentences about options of other launchers that have no effect

  /// Whether some ranks are to run under gdb.
  bool for_gdb() const { return all_under_gdb || !gdb_ranks.empty(); }
  int ranks() const {
    int sum = 0;
    for (const App& app : apps) sum += app.ranks;
    return sum;
  }
};

/// What the command line requests: to run a job, or to print a text and succeed (--help, --version).
struct Parsed {
  Options options;
  std::optional<std::string> print;
};

/// Parses the arguments after the program's name, in the syntax of mpiexec, Open MPI and MPICH
/// (command_line/foreign.hpp). Throws UsageError. Reads the files that the arguments name, MPIEXEC_TIMEOUT,
/// MPIEXEC_UNIVERSE_SIZE, OMPI_UNIVERSE_SIZE, and the variables that are passed on by name.
Parsed parse_options(std::span<const std::string> arguments);

}  // namespace bowline::launcher
