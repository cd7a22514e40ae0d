// SPDX-License-Identifier: BSD-3-Clause
// How MPI ends in this process: together with the other processes, without a lost one, or for the whole job at once.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/keep_going.hpp"
#include "base/log.hpp"
#include "base/waits/wait_board.hpp"
#include "coll/channel/call_history.hpp"
#include "runtime/departure.hpp"
#include "runtime/finalize_barrier.hpp"
#include "runtime/place_of_call.hpp"
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

/// Waits for the processes of this job (`for_job`) and for those of other jobs that are connected to this process. A
/// closed connection may mean that the peer has left already, so a rank that has lost a peer waits only a little
/// longer. Returns whether all processes of this job are known to have reached this point.
bool Runtime::await_others(const char* call, proto::Farewell farewell, bool for_job) {
  const std::vector<EndTogether> groups = parts_->jobs.groups(for_job);
  if (groups.empty()) return false;
  Departure departure(parts_->lanes, parts_->transports, call, farewell);
  bool abandoned = false;
  const auto abandons = [&] {
    departure.say_good_bye();
    if (!parts_->loss.older_than(patience_at_the_end)) return false;
    if (finalized() && ends_job(parts_->world) && !keeps_going_)
      abort_job(static_cast<int>(ErrorClass::proc_aborted), parts_->loss.why());
    return abandoned = true;
  };
  awaits_ = true;
  const CallsMark mark = errors_returned_ ? CallsMark{0} : parts_->world.team().history().mark();
  const int other = finalize_barrier(parts_->lanes[0], groups, mark, abandons);
  awaits_ = false;
  if (other >= 0) end_with_other_calls(other);
  return for_job && !abandoned;
}

/// Processes of other jobs may have left, or be lost: that changes nothing among those of this job.
bool Runtime::job_ends_together() const {
  return parts_->transports.job_has_networks() && parts_->failed.among(parts_->world.group()).empty();
}

bool Runtime::may_lose_ranks() const noexcept {
  return launcher_keeps_going() || parts_->wireup->ends_with_connections();
}

void Runtime::handler_chosen(const comm::Communicator& comm) {
  const bool alone = comm.everyone().size() == 1;
  if (alone || ends_job(comm) || !parts_->wireup->ends_with_connections()) return;
  if (keeps_going_.exchange(true)) return;
  parts_->transports.stay_apart(parts_->lanes.count());
}

/// Tells the launcher which collectives this rank has called. Ranks to which MPI has returned an error may have called
/// others than the rest, and know it.
void Runtime::tell_calls() {
  const coll::CallHistory history = parts_->world.team().history();
  if (!errors_returned_) ShownWait::tell_calls(history.value(), coll::in_words(history));
}

void Runtime::end_with_other_calls(int rank) {
  abort_job(
      static_cast<int>(ErrorClass::other),
      fmt::format("MPI_Finalize: rank {} has not called the same collectives on MPI_COMM_WORLD as this rank, which "
                  "has called {}: all ranks must call the same ones in the same order, with the same roots and "
                  "operators; with BOWLINE_CHECK_COLLECTIVES=1 the first call that differs fails",
                  rank, coll::in_words(parts_->world.team().history())));
}

void Runtime::lost(const char* why) noexcept {
  if (awaits_) {
    parts_->loss.record(why);
  } else if (keeps_going_) {
    log::info("{}", why);  // the launcher has told the user, and the operations that need the process fail
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

/// For BOWLINE_CHECK=leaks. All ranks have reached their end, so they have sent everything.
void Runtime::tell_of_unreceived() {
  const std::string text =
      Departure(parts_->lanes, parts_->transports, "MPI_Finalize", proto::Farewell::of_program).unreceived();
  if (!text.empty()) log::warning("MPI_Finalize: {}", text);
}

void Runtime::abort_job(int status, const std::string& text) {
  abort_processes({}, status, text);
}

void Runtime::abort_processes(const std::vector<int>& processes, int status, const std::string& text) {
  std::fflush(nullptr);  // shows the program's output before the error
  const std::string place = place_of_call();
  const std::string told = place.empty() ? text : fmt::format("{} (called at {})", text, place);
  std::vector<ProcessId> ids;
  bool others = false;
  for (const int process : processes) {
    ids.push_back(parts_->processes[process]);
    others = others || !parts_->processes.is_of_this_job(process);
  }
  parts_->names.withdraw_all();
  if (!others && ids.size() == static_cast<std::size_t>(parts_->identity.size)) ids.clear();  // the whole job
  parts_->wireup->abort(status, fmt::format("rank {} on {}: {}", parts_->identity.rank, parts_->host, told), ids);
  // Without a launcher, or if the launcher refuses, this process ends itself.
  log::error("{}", told);
  std::_Exit(status);
}

}  // namespace bowline::runtime
