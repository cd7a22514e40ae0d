// SPDX-License-Identifier: BSD-3-Clause
// HangJudge: what a rank does about waits that may never end, if its launcher has made no wait board.
#pragma once

#include <string>

#include "proto/long_wait.hpp"
#include "runtime/hang/hang_survey.hpp"
#include "runtime/hang/straggler_search.hpp"

namespace bowline::runtime {

class HangJudge final : public proto::WaitWatcher {
 public:
  /// Adds its services to the engine, which is that of lane 0. `rank`, `host`: of this process.
  HangJudge(proto::Engine& engine, int rank, const std::string& host);

  /// From now on the waits of this process are watched, if the launcher does not see them, and if the user wants that.
  void begin() noexcept;

  void looked(proto::Engine& lane) noexcept override;

 private:
  proto::Engine& engine_;
  HangSurvey survey_;
  StragglerSearch search_;
};

}  // namespace bowline::runtime
