// SPDX-License-Identifier: BSD-3-Clause
// Parts: what MPI in this process consists of, from its connection to the launcher up to its communicators.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/lock.hpp"
#include "base/wait.hpp"
#include "comm/communicator.hpp"
#include "comm/communicators.hpp"
#include "comm/process_table.hpp"
#include "comm/survival/failed_processes.hpp"
#include "comm/survival/survival.hpp"
#include "proto/engine.hpp"
#include "proto/lanes.hpp"
#include "proto/progress_thread.hpp"
#include "proto/sending/bsend_buffer.hpp"
#include "runtime/found_loss.hpp"
#include "runtime/hang/hang_judge.hpp"
#include "runtime/job_directory.hpp"
#include "runtime/job_machine.hpp"
#include "runtime/jobs/jobs.hpp"
#include "runtime/jobs/published_names.hpp"
#include "runtime/transports.hpp"
#include "wireup/wireup.hpp"

namespace bowline::runtime {

/// The engine that serves the communicators of one lane, and its lock.
struct Lane {
  Lane(int ranks, proto::Engine::Connect connect, const WaitPolicy& policy, proto::Lanes& lanes, bool locked)
      : engine(ranks, std::move(connect), policy, lock, &lanes) {
    if (locked) lock.enable();
  }

  OwnerLock lock;
  proto::Engine engine;
};

/// The parts of the process, in order: each may use the parts that stand before it.
struct Parts {
  /// `threaded`: several threads may call MPI at once. `lost` is called for every lost process, under the lock of a
  /// lane. Throws Error.
  Parts(bool threaded, const std::function<void(const Error&)>& lost);
  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  comm::Whereabouts whereabouts() const;
  /// Keeps the parts running for sessions, which use MPI after the program has ended its part.
  void go_on();
  /// Every other process has ended the program's part as well.
  void all_have_left();
  /// Whether this node has more ranks than cores.
  bool oversubscribed() const noexcept { return identity.local_ranks.size() > cores; }

  std::unique_ptr<wireup::Wireup> wireup;
  const wireup::Identity& identity;
  comm::ProcessTable processes;
  std::string host;
  std::size_t cores;
  Transports transports;
  proto::Lanes lanes;
  std::vector<std::unique_ptr<Lane>> lane;
  comm::Communicator world;
  comm::Communicator self;
  proto::BsendBuffer bsend_buffer;
  JobMachine machine;
  Jobs jobs;
  PublishedNames names;
  comm::Communicators communicators;
  HangJudge hang_judge;
  comm::FailedProcesses failed;
  std::deque<JobDirectory> directory;    ///< by lane
  std::vector<comm::Survival> survival;  ///< by lane
  FoundLoss loss;
  std::unique_ptr<proto::ProgressThread> progress_thread;  ///< if the user wants one

 private:
  std::size_t local_index() const;
  std::function<void()> when_sent_to_self(bool locked);
  WaitPolicy wait_policy(bool threaded) const;
  std::vector<std::unique_ptr<Lane>> make_lanes(bool threaded);
};

}  // namespace bowline::runtime
