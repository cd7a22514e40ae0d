// SPDX-License-Identifier: BSD-3-Clause
// The connections of jobs that join two sides, and how the processes of both sides prepare them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/processes/at_root.hpp"
#include "api/processes/byte_list.hpp"
#include "runtime/jobs/jobs.hpp"
#include "runtime/jobs/roster.hpp"

namespace bowline::api {

/// The connections that join the two sides, seen from one process: one for each job of the other side that is not its
/// own job. Ends those that are prepared, unless keep() is called.
class Connections {
 public:
  /// How far a process, or a side, has come with the preparation.
  enum class State : std::uint32_t { ready, id_is_taken, failed };

  /// `comes_first`: whether this side does. `first_id`: of the connections; both sides give the same. The rosters must
  /// outlive this object.
  Connections(const runtime::Roster& own, const runtime::Roster& other, bool comes_first, std::uint32_t first_id);
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;
  ~Connections();

  /// What this process tells the other side: its state, in words if it has failed, and its contact for each job there.
  Bytes prepare();
  /// The state of a side from what its processes have told: the worst of them, and the words of the first that has
  /// failed.
  static std::pair<State, std::string> summary(const std::vector<ByteList>& told);
  /// `told`: what each process of the other side has told, in the order of the roster. Throws Error.
  void connect(const std::vector<ByteList>& told);
  void keep() noexcept { prepared_.clear(); }

 private:
  int jobs_there() const noexcept { return static_cast<int>(other_.jobs.size()); }
  bool is_joined(int job) const { return other_.jobs[static_cast<std::size_t>(job)].name == own_job().name; }
  const runtime::Roster::Job& own_job() const { return own_.jobs[static_cast<std::size_t>(own_job_)]; }
  std::uint32_t id_of(int job) const noexcept;
  bool is_taken() const;

  runtime::Jobs& jobs_;
  const runtime::Roster& own_;
  const runtime::Roster& other_;
  const bool comes_first_;
  const std::uint32_t first_id_;
  int own_job_;
  std::vector<std::uint32_t> prepared_;
};

}  // namespace bowline::api
