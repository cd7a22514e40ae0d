// SPDX-License-Identifier: BSD-3-Clause
// One self-test while it runs: starts parts, judges them, prints and keeps the lines.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launcher/info/doctor.hpp"
#include "launcher/selftest/judgement.hpp"
#include "launcher/selftest/part_output.hpp"
#include "launcher/selftest/rank_starter.hpp"
#include "launcher/selftest/selftest.hpp"

namespace bowline::launcher {

inline constexpr std::size_t long_message = 1 << 20;

/// What a node says of a network.
struct NetworkState {
  std::string node;  ///< empty: this one
  std::string name, state, detail;
};

class SelftestRun {
 public:
  /// Throws UsageError or LaunchError.
  explicit SelftestRun(const SelftestOptions& options);

  // The parts, in the order in which they run: each of several lines.
  void nodes();     ///< what the doctor says of each node, and what the hardware can do
  void on_node();   ///< messages of one node, in each of their ways
  void windows();   ///< one-sided operations, by each of their paths
  void networks();  ///< the networks, between ranks of one node if there is only one
  void files();     ///< in the working directory
  void collectives();

  /// What it all means, in words. Returns the exit status.
  int verdict() const;

 private:
  /// Runs one part. A failure of the job or of its data becomes a line, and nothing is returned.
  std::optional<PartOutput> run(const std::string& what, Where where, const std::vector<std::string>& part,
                                const Variables& variables = {}, const std::string& advice = {});
  void add(SelftestRow row);
  void add_finding(const Finding& finding, const std::string& node);
  void add_findings(const std::vector<std::pair<std::string, Finding>>& found);
  std::vector<std::pair<std::string, Finding>> examine_other_nodes();
  std::vector<NetworkState> examine_networks();
  void add_network(const std::string& name, const std::vector<NetworkState>& states);
  void way_on_node(const std::string& way, const std::string& counter);
  void between(const std::string& who, Where where);
  void way_between(const std::string& who, Where where, const std::string& way);
  void window(const std::string& what, Where where, bool allocated, const std::string& path, const Possible& possible);
  void collective(const PartOutput& output, const std::string& name);
  double seconds_left() const;

  // What the hardware can do.
  Possible copy(std::size_t bytes) const;
  Possible bounce() const;
  Possible link() const;

  SelftestOptions options_;
  RankStarter starter_;
  std::chrono::steady_clock::time_point deadline_;
  std::string ranks_program_;
  PartOutput machine_;
  std::vector<SelftestRow> rows_;
  std::vector<Finding> findings_;              ///< of the doctor, on the first node
  std::optional<PartOutput> pair_, far_pair_;  ///< messages of a node, and between the nodes that are far apart
  int not_run_ = 0;                            ///< parts for which there was no time
};

}  // namespace bowline::launcher
