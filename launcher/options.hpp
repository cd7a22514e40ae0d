// SPDX-License-Identifier: BSD-3-Clause
// The command line of mpiexec as values.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bowline::launcher {

/// What a rank may run on. `automatic`: a core of its own where there are enough, else anywhere.
enum class BindTo { automatic, core, numa, socket, none };

/// Where consecutive ranks go: `slot` and `core` (and `automatic`) fill core after core, `numa` and `socket` deal ranks
/// out in turn.
enum class MapBy { automatic, slot, core, numa, socket };

/// One part of the command line between colons: a program and how many ranks run it.
struct App {
  int ranks = 1;
  bool ranks_given = false;
  std::vector<std::string> command;                              ///< program and its arguments
  std::string wdir;                                              ///< empty: where mpiexec was started
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to mpiexec's own
};

struct Options {
  static constexpr int most_ranks = 1 << 30;  ///< of all programs, and per node: sums of two stay whole numbers

  std::vector<App> apps;
  std::vector<std::string> hosts;
  BindTo bind_to = BindTo::automatic;
  MapBy map_by = MapBy::automatic;
  bool report_bindings = false;
  bool tag_output = false;
  bool verbose = false;
  std::string initial_errhandler;  ///< empty: not chosen
  /// Kinds of memory that the programs want to use and that are none of MPI's or the system's.
  std::vector<std::string> unsupported_memory;
  std::string output_dir;  ///< empty: output is forwarded
  std::optional<int> ranks_per_node;
  std::optional<double> timeout_s;  ///< the job is ended when it runs longer
  double grace_s = 5;               ///< time that ranks have to end after a forwarded INT, TERM, HUP or QUIT
  bool grace_given = false;

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

/// Parses the arguments after the program's name. Throws UsageError; looks at nothing but its arguments and, for
/// `-x NAME`, the environment.
Parsed parse_options(std::span<const std::string> arguments);

}  // namespace bowline::launcher
