// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/runtime.hpp"

#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

#include "base/events/event.hpp"
#include "base/keep_going.hpp"
#include "base/log.hpp"
#include "base/other_settings.hpp"
#include "base/thread_ids.hpp"
#include "base/tunable.hpp"
#include "base/waits/wait_board.hpp"
#include "mpiio/async/io_ring.hpp"
#include "mpiio/async/workers.hpp"
#include "node/hardware_around.hpp"
#include "proto/long_wait.hpp"
#include "runtime/debugger_gate.hpp"
#include "runtime/departure.hpp"
#include "runtime/process_parts.hpp"
#include "runtime/published_queues.hpp"
#include "runtime/queue_library.hpp"
#include "runtime/report/flight_recorder.hpp"
#include "runtime/report/report.hpp"
#include "runtime/settings.hpp"
#include "runtime/signal_pages.hpp"

namespace bowline::runtime {
namespace {

ChoiceTunable initial_errhandler(TunableTraits(Category::start).for_users(), "initial_errhandler",
                                 {"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"},
                                 "the error handler of MPI_COMM_WORLD and MPI_COMM_SELF at the start, and of errors "
                                 "before MPI_Init and after MPI_Finalize");

}  // namespace

constinit Runtime the_runtime;

comm::ErrorHandler& initial_error_handler() {
  need_settings();
  if (initial_errhandler.value() == "mpi_errors_return") return comm::ErrorHandler::to_return();
  if (initial_errhandler.value() == "mpi_errors_abort") return comm::ErrorHandler::abort();
  return comm::ErrorHandler::are_fatal();
}

namespace {
std::mutex users_mutex;  // threads may start and end sessions at the same time
}

// MPI stays started when the last session ends, because MPI_Init or another session may follow, and the ranks need not
// agree on the number of sessions. The program's part ends with MPI_Finalize. If no session uses MPI then, the launcher
// is told that this process has finished, so that it may end in any way. But other ranks may have sessions already, or
// may make contact with this process: therefore the inbox and the devices stay until the process ends. A session that
// starts afterwards connects to the launcher again; then, as without MPI_Init, MPI ends when the process ends.

void Runtime::init(int thread_level) {
  const std::lock_guard hold(users_mutex);
  main_thread_ = this_thread_mark();
  start_using(thread_level);
  world_ = &parts_->world;
  public_self_ = self_;
  world_->set_error_handler(initial_error_handler());
  public_self_->set_error_handler(initial_error_handler());
  handler_chosen(*world_);
  if (report_ != nullptr) report_->begin({parts_->identity.rank, parts_->identity.size, parts_->host});
  state_.store(State::running, std::memory_order_release);
}

void Runtime::finalize() {
  std::unique_lock hold(users_mutex);
  if (world_ == nullptr) {
    throw Error(ErrorClass::other, "only sessions use MPI now: call MPI_Finalize once, after MPI_Init");
  }
  FlightRecorder::finalized();
  if (report_ != nullptr) report_->write({parts_->identity.rank, parts_->identity.size, parts_->host});
  Departure(parts_->lanes, parts_->transports, "MPI_Finalize", proto::Farewell::of_program).drain();
  tell_calls();
  state_.store(State::finalized, std::memory_order_release);
  world_ = public_self_ = nullptr;
  const bool goes_on = count_users(-1) > 1;
  if (goes_on) hold.unlock();  // threads may start and end sessions meanwhile
  end_program(goes_on);
}

void Runtime::start_session() {
  const std::lock_guard hold(users_mutex);
  start_using(MPI_THREAD_MULTIPLE);
}

void Runtime::end_session() {
  const std::lock_guard hold(users_mutex);
  Departure(parts_->lanes, parts_->transports, "MPI_Session_finalize", proto::Farewell::none).drain();
  count_users(-1);
}

void Runtime::start_using(int thread_level) {
  if (parts_ == nullptr) {
    name_queue_library();
    wait_at_debugger_gate();
    read_settings_and_warn();
    keeps_going_ = launcher_keeps_going();
    node::hardware_here();  // no later call of MPI needs to open the kernel's files
    ShownWait::join_board();
    const bool threaded = thread_level == MPI_THREAD_MULTIPLE;
    if (threaded) lock_.enable();
    const std::vector<pid_t> threads_before = threaded ? thread_ids() : std::vector<pid_t>();
    report_ = Report::make();
    parts_ = new Parts(threaded, [](const Error& why) { the_runtime.lost(why.what()); });
    // Of a program with a single thread no other thread starts one meanwhile. A progress thread does what calls do.
    if (threads_before.size() == 1 && parts_->progress_thread == nullptr)
      proto::LongWait::own_threads_are_those_beside(threads_before);
    if (parts_->identity.rank == 0) tell_of_other_settings();
    show_stacks_on_signals(parts_->identity, parts_->host);
    self_ = &parts_->self;
    publish_queues(*parts_);
    FlightRecorder::begin({parts_->identity.rank, parts_->identity.size, parts_->host});
    EventKind::notify_by([]() noexcept { the_runtime.note_listeners(); });
    note_listeners();  // somebody may have begun to listen meanwhile
    ShownWait::tell_ready();
    thread_level_ = thread_level;
    process_ = getpid();
    connected_ = true;
    static const int once = std::atexit([] { the_runtime.end_with_process(); });
    static_cast<void>(once);
  } else if (!connected_) {
    const ShownWait wait("for the launcher");
    parts_->wireup->reconnect();
    connected_ = true;
    parts_->go_on();
  }
  count_users(1);
}

/// The caller holds the mutex. When the last user ends, nobody can reach the ports of this process any more.
int Runtime::count_users(int change) noexcept {
  const int before = users_.fetch_add(change, std::memory_order_release);
  if (before + change == 0) parts_->names.withdraw_all();
  choose_execution();
  return before;
}

void Runtime::choose_execution() noexcept {
  static constinit std::mutex mutex;
  const std::lock_guard hold(mutex);
  const bool running = users_.load(std::memory_order_relaxed) > 0;
  const bool special = checks().calls() || follows_calls() || listeners_changed_.load(std::memory_order_relaxed);
  executes_directly_.store(running && !special, std::memory_order_release);
}

void Runtime::follow_calls(bool follow) noexcept {
  follows_calls_.store(follow, std::memory_order_relaxed);
  choose_execution();
}

void Runtime::note_listeners() noexcept {
  listeners_changed_.store(true, std::memory_order_release);
  choose_execution();
}

void Runtime::settle_listeners() noexcept {
  if (!listeners_changed_.exchange(false, std::memory_order_acq_rel)) return;
  choose_execution();
  for (const auto& each : parts_->lane) {
    const LockGuard hold(each->engine.lock());
    each->engine.listeners_changed();
  }
}

/// All ranks call end_program(), also ranks whose sessions go on (`goes_on`). It stays as it was when the program
/// ended: the last session may end meanwhile, and another one start, which needs what this function would take away.
void Runtime::end_program(bool goes_on) {
  if (!goes_on) {
    parts_->jobs.ports().close_all();
    parts_->progress_thread.reset();
    mpiio::Workers::end();
    mpiio::Ring::end();
  }
  // A launcher that sees the ranks compares by itself what they have called.
  const bool for_job = job_ends_together() || checks().leaks || !ShownWait::board_joined();
  const bool all_came = await_others("MPI_Finalize", proto::Farewell::of_program, for_job);
  if (checks().leaks) tell_of_unreceived();
  if (!goes_on) end_with_leftovers();
  if (all_came) parts_->all_have_left();  // sessions may follow
  if (goes_on) {
    parts_->transports.tell_end(shm::good_bye);
    return parts_->go_on();
  }
  parts_->transports.tell_end(shm::good_bye);
  const ShownWait wait("for the launcher");
  connected_ = false;
  parts_->wireup->finalize();
}

/// exit() calls this function. It ends what MPI_Finalize has not ended: sessions leave the connection to the launcher
/// open, and their last messages may still be under way. The progress thread must end before static objects are
/// destroyed. A forked process has neither this thread nor a connection of its own. A process that exits without
/// MPI_Finalize does not disconnect from the launcher, which then treats the exit as a failure.
void Runtime::end_with_process() noexcept {
  if (parts_ == nullptr || getpid() != process_) return;
  if (!proto::ProgressThread::is_this_thread()) parts_->progress_thread.reset();
  parts_->names.withdraw_all();
  if (running()) return;
  try {
    parts_->transports.tell_end(shm::exiting);
    if (!connected_) return;
    await_others("exit", proto::Farewell::of_process, job_ends_together());
    parts_->wireup->finalize();
  } catch (const std::exception& error) {
    log::warning("the launcher could not be notified of the end of this process: {}", error.what());
  }
}

bool Runtime::is_main_thread() const noexcept {
  return main_thread_ == this_thread_mark();
}

int Runtime::job_size() const noexcept {
  return parts_->identity.size;
}
bool Runtime::on_one_node() const noexcept {
  return parts_->identity.local_ranks.size() == static_cast<std::size_t>(parts_->identity.size);
}
int Runtime::first_rank_here() const noexcept {
  return parts_->identity.local_ranks.front();
}
rma::Surroundings Runtime::window_surroundings() const noexcept {
  return {.here = parts_->transports.local_ranks(),
          .network_atomics = parts_->transports.network_atomics(),
          .network_atomic_lengths = parts_->transports.network_atomic_lengths()};
}
wireup::Wireup& Runtime::wireup() noexcept {
  return *parts_->wireup;
}
const comm::ProcessTable& Runtime::processes() const noexcept {
  return parts_->processes;
}
Jobs& Runtime::jobs() noexcept {
  return parts_->jobs;
}
PublishedNames& Runtime::names() noexcept {
  return parts_->names;
}
proto::Lanes& Runtime::lanes() noexcept {
  return parts_->lanes;
}
proto::BsendBuffer& Runtime::bsend_buffer() noexcept {
  return parts_->bsend_buffer;
}

comm::FailedProcesses& Runtime::failed_processes() noexcept {
  return parts_->failed;
}

comm::Survival& Runtime::survival(const comm::Communicator& comm) noexcept {
  return parts_->survival[proto::lane_of(comm.context())];
}

comm::Communicators& Runtime::communicators() noexcept {
  return parts_->communicators;
}

comm::Communicator& Runtime::with_context(std::uint32_t context) noexcept {
  const std::uint32_t index = proto::index_of(context);
  if (index == comm::IndexSpace::world) return parts_->world;
  comm::Communicator* const found = parts_->communicators.find(index);
  return found != nullptr && found->alive() ? *found : *self_;
}

}  // namespace bowline::runtime
