// SPDX-License-Identifier: BSD-3-Clause
// QuietWireup: a wire-up for tests, which override what they need: it knows no process, and a rank is its own node.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wireup/wireup.hpp"

namespace bowline::test {

class QuietWireup : public wireup::Wireup {
 public:
  const wireup::Identity& identity() const override { return identity_; }
  void exchange() override {}
  void ask(const ProcessId&, const std::string&) override {}
  bool answers(const ProcessId&) override { return false; }
  int node_of(int rank) override { return rank; }
  std::optional<int> universe_size() const override { return {}; }
  std::optional<int> application() const override { return {}; }
  std::vector<std::string> process_sets() const override { return {}; }
  std::vector<int> members(const std::string&) const override { return {}; }
  std::unique_ptr<wireup::SpawnedJob> spawn(std::span<const wireup::Program>, const std::string&) override {
    throw wireup::SpawnFailure(-1, "this is a test");
  }
  void abort(int, const std::string&, std::span<const ProcessId>) override {}
  void finalize() override {}
  void reconnect() override {}

 protected:
  wireup::Identity identity_;
};

}  // namespace bowline::test
