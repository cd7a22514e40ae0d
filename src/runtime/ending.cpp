// SPDX-License-Identifier: BSD-3-Clause
// How MPI ends in this process: together with the other processes, without a lost one, or for the whole job at once.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/log.hpp"
#include "runtime/departure.hpp"
#include "runtime/finalize_barrier.hpp"
#include "runtime/process_parts.hpp"
#include "runtime/runtime.hpp"

namespace bowline::runtime {
namespace {

// How long MPI_Finalize waits for other processes once it knows that one of them is lost.
constexpr std::chrono::seconds patience_at_the_end{3};

// How long MPI_Finalize waits for answers when all other processes have reached their end.
constexpr std::chrono::seconds last_answers{1};

/// Whether an error on this communicator ends this process.
bool ends_job(const comm::Communicator& comm) {
  const auto action = comm.error_handler()->action();
  return action == comm::ErrorHandler::Action::end_job || action == comm::ErrorHandler::Action::end_comm;
}

}  // namespace

/// A closed connection may mean that the peer has left already, so a rank that has lost a peer waits only a little
/// longer. Returns whether all have reached this point.
bool Runtime::await_others(const char* call, proto::Farewell farewell) {
  Departure departure(parts_->lanes, parts_->transports, call, farewell);
  bool abandoned = false;
  const auto abandons = [&] {
    departure.say_good_bye();
    if (!parts_->loss.older_than(patience_at_the_end)) return false;
    if (finalized() && ends_job(parts_->world))
      abort_job(static_cast<int>(ErrorClass::proc_aborted), parts_->loss.why());
    return abandoned = true;
  };
  awaits_ = true;
  finalize_barrier(parts_->lanes[0], parts_->jobs.groups(), abandons);
  awaits_ = false;
  return !abandoned;
}

void Runtime::lost(const char* why) noexcept {
  if (awaits_) {
    parts_->loss.record(why);
  } else if (world_ != nullptr && ends_job(*world_)) {
    abort_job(static_cast<int>(ErrorClass::proc_aborted), why);
  } else {
    log::warning("{}", why);  // the error code does not name the rank
  }
}

/// Ends the job if messages of this rank are left that no rank has received. Called when all ranks have reached their
/// end.
void Runtime::end_with_leftovers() {
  Departure departure(parts_->lanes, parts_->transports, "MPI_Finalize", proto::Farewell::of_program);
  if (departure.left_over().empty()) return;
  // Answers that complete these messages may have arrived just before the other ranks ended.
  const auto until = std::chrono::steady_clock::now() + last_answers;
  while (std::chrono::steady_clock::now() < until && !departure.left_over().empty()) {
    parts_->lanes.progress();
    parts_->lanes.rest(Rest::yield);
  }
  const std::string text = departure.left_over();
  if (text.empty()) return;
  abort_job(static_cast<int>(ErrorClass::pending),
            fmt::format("MPI_Finalize: no rank can receive any more what this one has sent: {}; receive or cancel it "
                        "before MPI_Finalize",
                        text));
}

void Runtime::abort_job(int status, const std::string& text) {
  abort_processes({}, status, text);
}

void Runtime::abort_processes(const std::vector<int>& processes, int status, const std::string& text) {
  std::fflush(nullptr);  // shows the program's output before the error
  std::vector<ProcessId> ids;
  bool others = false;
  for (const int process : processes) {
    ids.push_back(parts_->processes[process]);
    others = others || !parts_->processes.is_of_this_job(process);
  }
  if (!others && ids.size() == static_cast<std::size_t>(parts_->identity.size)) ids.clear();  // the whole job
  parts_->wireup->abort(status, fmt::format("rank {} on {}: {}", parts_->identity.rank, parts_->host, text), ids);
  // Without a launcher, or if the launcher refuses, this process ends itself.
  log::error("{}", text);
  std::_Exit(status);
}

}  // namespace bowline::runtime
