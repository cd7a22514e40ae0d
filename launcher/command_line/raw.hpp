// SPDX-License-Identifier: BSD-3-Clause
// The command line as texts, which CLI11 fills in, and their conversion to values.
#pragma once
#include <string>
#include <vector>

#include "launcher/job_options.hpp"

namespace bowline::launcher {

/// The options for the variables of one program, or of all programs.
struct RawVariables {
  std::vector<std::string> set;
  std::string list;
  bool none = false, all = false;
};

/// One part between colons.
struct RawApp {
  std::string ranks, wdir, path;
  RawVariables variables;
  std::vector<std::string> command;
  bool ranks_given = false, wdir_given = false;
};

struct RawJob {
  RawVariables variables;
  std::string hosts, hostfile, configfile, ranks_per_node, ranks_per_turn;
  std::vector<std::string> bind_to, map_by;
  std::string rank_by, cpu_set, display;
  std::string prepend_pattern, output_dir, output_filename, out_pattern, err_pattern, output, stdin_who, buffering;
  std::string timeout, grace, errhandler, memory, universe, end_descriptor;
  std::string keep_going, chaos, report, record, gdb;
  bool report_bindings = false, display_map = false, display_allocation = false, explain = false;
  bool tag_output = false, prepend_rank = false, timestamp = false, merge_stderr = false;
  bool verbose = false, quiet = false, version = false;
};

/// Checks one part. Throws UsageError. Adds a sentence to `warnings` for an option without effect.
App check_app(const RawApp& raw, std::vector<std::string>& warnings);

/// Checks all parts together, and the options that hold for all parts. Throws UsageError.
Options check_raw(const RawJob& raw, std::vector<App> apps);

}  // namespace bowline::launcher
