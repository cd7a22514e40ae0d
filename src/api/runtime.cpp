// SPDX-License-Identifier: BSD-3-Clause
#include "api/runtime.hpp"

#include <fmt/format.h>
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "api/census.hpp"
#include "api/farewell.hpp"
#include "api/handles.hpp"
#include "api/machine.hpp"
#include "api/parting.hpp"
#include "api/settings.hpp"
#include "api/transports.hpp"
#include "base/log.hpp"
#include "base/other_settings.hpp"
#include "base/tunable.hpp"
#include "node/host.hpp"
#include "node/placement.hpp"
#include "proto/bsend_buffer.hpp"
#include "proto/engine.hpp"
#include "proto/lanes.hpp"
#include "proto/progress_thread.hpp"
#include "wireup/wireup.hpp"

namespace bowline::api {
namespace {

Tunable<std::size_t> communicators_tunable{"communicators", comm::IndexSpace::size - 3, 1, comm::IndexSpace::size - 3,
                                           "most communicators that a process may have at once, MPI_COMM_WORLD and "
                                           "MPI_COMM_SELF not counted"};
Tunable<std::size_t> lanes_tunable{"lanes", 4, 1, proto::max_lanes,
                                   "parts of the library that threads use without contending, each with buffers and "
                                   "queues of its own; communicators are spread over them (MPI_THREAD_MULTIPLE only)"};

Tunable<int> kernel_spins{"wait_spins_kernel", 48, 0, 1 << 30,
                          "most attempts a waiting call makes before it yields its core, in a job on several "
                          "nodes without a network adapter that UCX can use past the kernel"};
Tunable<int> kernel_yields{"wait_yields_kernel", 1000, 0, 1 << 30, "most yields before it sleeps, in such a job"};

ChoiceTunable initial_errhandler{"initial_errhandler",
                                 {"mpi_errors_are_fatal", "mpi_errors_abort", "mpi_errors_return"},
                                 "the error handler of MPI_COMM_WORLD and MPI_COMM_SELF at the start, and of errors "
                                 "before MPI_Init and after MPI_Finalize"};

Tunable<bool> progress_thread_tunable{
    "progress_thread", false, false, true,
    "whether a thread of the library moves what has begun while the program computes; "
    "it needs time on a core, and every call then takes a lock"};

// How long MPI_Finalize waits for the others once it knows that one of them is lost.
constexpr std::chrono::seconds patience_at_the_end{3};

// And how long it waits for answers when all others have come to their end.
constexpr std::chrono::seconds last_answers{1};

/// Whether an error on this communicator would be the end.
bool ends_job(const comm::Communicator& comm) {
  const auto action = comm.error_handler()->action();
  return action == comm::ErrorHandler::Action::end_job || action == comm::ErrorHandler::Action::end_comm;
}

unsigned lane_count(bool threaded) {
  return threaded ? static_cast<unsigned>(lanes_tunable.value()) : 1;
}

/// Cores for the ranks of this node. A rank that is bound sees only its own, so the launcher's are counted too.
std::size_t cores_of_ranks() {
  cpu_set_t launcher;
  const bool known = sched_getaffinity(getppid(), sizeof launcher, &launcher) == 0;
  return static_cast<std::size_t>(std::max(node::usable_cores(), known ? CPU_COUNT(&launcher) : 1));
}

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

/// What serves the communicators of one lane.
struct Lane {
  Lane(int ranks, proto::Engine::Connect connect, const WaitPolicy& policy, proto::Lanes& lanes, bool locked)
      : engine(ranks, std::move(connect), policy, lock, &lanes) {
    if (locked) lock.enable();
  }

  OwnerLock lock;
  proto::Engine engine;
};

/// In the order in which they need each other.
struct Runtime::Parts {
  Parts(OwnerLock& library_lock, bool threaded)
      : lock(library_lock),
        wireup(wireup::connect()),
        identity(wireup->identity()),
        host(node::host_name()),
        cores(cores_of_ranks()),
        transports(*wireup, host, lane_count(threaded), when_sent_to_self(threaded || progress_thread_tunable.value())),
        lanes(transports.sleeper()),
        lane(make_lanes(threaded)),
        world("MPI_COMM_WORLD", {.index = comm::IndexSpace::world}, lanes[0],
              comm::Group::sequence(0, 1, identity.size), identity.rank, crowded()),
        self("MPI_COMM_SELF", {.index = comm::IndexSpace::self}, lanes[0], comm::Group::sequence(identity.rank, 1, 1),
             identity.rank, false),
        machine(*wireup, transports.wireup_mutex()),
        communicators(lanes, identity.rank, whereabouts(), communicators_tunable.value()) {
    whereabouts().tell(world.team(), true);
    log::set_identity(identity.rank, host);
    if (identity.size > 1) wireup->exchange();
    const auto lost = [](const Error& why) { the_runtime.lost(why.what()); };
    for (const auto& each : lane) {
      const auto number = static_cast<unsigned>(census.size());
      each->engine.ask(&census.emplace_back(number, world, self, communicators, transports, lost));
    }
    lanes[0].keep_watch(transports.next_remote());
    transports.look_ahead();
    // Threads spread over the cores by themselves.
    const bool helped = progress_thread_tunable.value();
    if (crowded() && !threaded && !helped)
      lanes.settle_with([index = local_index()] { node::move_to_preferred_core(index); });
    if (helped) progress_thread = std::make_unique<proto::ProgressThread>(lanes);
  }

  Parts(const Parts&) = delete;
  Parts& operator=(const Parts&) = delete;

  /// Collectives go through shared memory only where messages may, too: who sleeps is woken on that way.
  comm::Whereabouts whereabouts() const {
    return {.here = transports.local_ranks(),
            .crowded = crowded(),
            .machine = transports.network_only() ? nullptr : &machine};
  }

  /// Where this rank stands among those of its node.
  std::size_t local_index() const {
    const auto here = std::ranges::lower_bound(identity.local_ranks, identity.rank);
    return static_cast<std::size_t>(here - identity.local_ranks.begin());
  }

  bool crowded() const noexcept { return identity.local_ranks.size() > cores; }

  /// Another thread may sleep that waits for such a message.
  std::function<void()> when_sent_to_self(bool locked) {
    if (!locked) return {};
    return [this] { lanes.wake_sleepers(); };
  }

  /// Where messages come through the kernel an attempt is a system call, and little is gained by not sleeping. To yield
  /// is in vain there if those who need the core are of another session or control group, as ranks of other nodes on
  /// the same machine are: a kernel that schedules by groups offers the core to its own group first.
  WaitPolicy wait_policy(bool threaded) const {
    WaitPolicy policy = WaitPolicy::make(identity.local_ranks.size(), cores, threaded);
    if (!transports.through_kernel()) return policy;
    policy.spins = std::min(policy.spins, static_cast<std::uint32_t>(kernel_spins.value()));
    policy.yields = std::min(policy.yields, static_cast<std::uint32_t>(kernel_yields.value()));
    policy.watches_core = true;
    policy.of_several = {};
    return policy;
  }

  std::vector<std::unique_ptr<Lane>> make_lanes(bool threaded) {
    std::vector<std::unique_ptr<Lane>> made;
    const WaitPolicy policy = wait_policy(threaded);
    const bool locked = threaded || progress_thread_tunable.value();
    proto::SpecialRequest::several_threads = locked;
    for (unsigned number = 0; number < lane_count(threaded); ++number) {
      auto connect = [this, number](int rank) { return transports.connect(number, rank, lane[number]->engine); };
      made.push_back(std::make_unique<Lane>(identity.size, std::move(connect), policy, lanes, locked));
      proto::Engine& engine = made.back()->engine;
      transports.add_devices(number, engine);
      lanes.add(engine);
      engine.share_budget(lane_count(threaded));
    }
    return made;
  }

  OwnerLock& lock;
  std::unique_ptr<wireup::Wireup> wireup;
  const wireup::Identity& identity;
  std::string host;
  std::size_t cores;
  Transports transports;
  proto::Lanes lanes;
  std::vector<std::unique_ptr<Lane>> lane;
  comm::Communicator world;
  comm::Communicator self;
  proto::BsendBuffer bsend_buffer;
  JobMachine machine;
  comm::Communicators communicators;
  std::deque<JobCensus> census;  ///< by lane
  std::string loss;              ///< the first that was found while MPI_Finalize waits for the others
  std::chrono::steady_clock::time_point found;
  std::unique_ptr<proto::ProgressThread> progress_thread;  ///< if the user wants one
};

// What sessions have started stays when the last of them ends, because MPI_Init or another session may follow, and
// ranks must not have to agree on how often. Only MPI_Finalize, with no session left, or the end of the process ends
// it.

void Runtime::init(int thread_level) {
  const std::lock_guard hold(users_mutex);
  start_using(thread_level);
  world_ = &parts_->world;
  public_self_ = self_;
  world_->set_error_handler(initial_error_handler());
  public_self_->set_error_handler(initial_error_handler());
  main_thread_ = this_thread_mark();
  state_.store(State::running, std::memory_order_release);
}

void Runtime::finalize() {
  const std::lock_guard hold(users_mutex);
  if (world_ == nullptr) {
    throw Error(ErrorClass::other, "only sessions use MPI now: call MPI_Finalize once, after MPI_Init");
  }
  drain("MPI_Finalize");
  state_.store(State::finalized, std::memory_order_release);
  world_ = public_self_ = nullptr;
  stop_using();
}

void Runtime::start_session() {
  const std::lock_guard hold(users_mutex);
  if (parts_ == nullptr && finalized()) return;
  start_using(MPI_THREAD_MULTIPLE);
}

void Runtime::end_session() {
  const std::lock_guard hold(users_mutex);
  if (parts_ == nullptr) return;  // nothing ran
  drain("MPI_Session_finalize");
  stop_using();
}

void Runtime::start_using(int thread_level) {
  if (parts_ == nullptr) {
    read_settings_and_warn();
    if (thread_level == MPI_THREAD_MULTIPLE) lock_.enable();
    parts_ = new Parts(lock_, thread_level == MPI_THREAD_MULTIPLE);
    if (parts_->identity.rank == 0) tell_of_other_settings();
    self_ = &parts_->self;
    thread_level_ = thread_level;
    process_ = getpid();
    static const int once = std::atexit([] { the_runtime.end_with_process(); });
    static_cast<void>(once);
  }
  users_.fetch_add(1, std::memory_order_release);
}

void Runtime::stop_using() {
  if (users_.fetch_sub(1, std::memory_order_release) > 1) return;
  if (!finalized()) return;
  parts_->progress_thread.reset();
  if (parts_->transports.end_together()) await_others();
  end_with_leftovers();
  parts_->wireup->finalize();
  self_ = nullptr;
  delete std::exchange(parts_, nullptr);
}

/// Called by exit(), for what MPI_Finalize has not ended: sessions leave the connection to the launcher open. A thread
/// of the library must not see static objects go, and a process that was forked has neither a thread nor a connection
/// of its own. A process that ends before MPI_Finalize does not disconnect from the launcher, which takes that for a
/// failure.
void Runtime::end_with_process() noexcept {
  if (parts_ == nullptr || getpid() != process_) return;
  if (!proto::ProgressThread::is_this_thread()) parts_->progress_thread.reset();
  if (running()) return;
  parts_->transports.tell_end(shm::good_bye);
  try {
    parts_->wireup->finalize();
  } catch (const std::exception& error) {
    log::warning("the launcher has not heard that this process ends: {}", error.what());
  }
}

/// The others may have left already when their connections are found to be closed: who has lost one of them waits only
/// a little longer.
void Runtime::await_others() {
  const auto gives_up = [this] {
    if (parts_->loss.empty() || std::chrono::steady_clock::now() - parts_->found < patience_at_the_end) return false;
    if (ends_job(parts_->world)) abort_job(static_cast<int>(ErrorClass::proc_aborted), parts_->loss);
    return true;
  };
  await_all(parts_->lanes[0], parts_->identity.rank, parts_->identity.size, gives_up);
}

void Runtime::lost(const char* why) noexcept {
  if (finalized()) {
    if (!parts_->loss.empty()) return;
    try {
      parts_->loss = why;
    } catch (const std::bad_alloc&) {
      parts_->loss = "a rank is lost";  // needs no memory
    }
    parts_->found = std::chrono::steady_clock::now();
  } else if (world_ != nullptr && ends_job(*world_)) {
    abort_job(static_cast<int>(ErrorClass::proc_aborted), why);
  } else {
    log::warning("{}", why);  // an error code names no rank
  }
}

void Runtime::drain(const char* call) {
  const bool last = users_.load(std::memory_order_relaxed) == 1 && (world_ != nullptr || finalized());
  Parting(parts_->lanes, parts_->transports, call, last).drain();
}

/// All ranks are at their end, and this one has sent what nobody has received.
void Runtime::end_with_leftovers() {
  Parting parting(parts_->lanes, parts_->transports, "MPI_Finalize", true);
  if (parting.left_over().empty()) return;
  // An answer may have come with the last word of the others.
  const auto until = std::chrono::steady_clock::now() + last_answers;
  while (std::chrono::steady_clock::now() < until && !parting.left_over().empty()) {
    parts_->lanes.progress();
    parts_->lanes.rest(Rest::yield);
  }
  const std::string text = parting.left_over();
  if (text.empty()) return;
  abort_job(static_cast<int>(ErrorClass::pending),
            fmt::format("MPI_Finalize: no rank can receive any more what this one has sent: {}; receive or cancel it "
                        "before MPI_Finalize",
                        text));
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
wireup::Wireup& Runtime::wireup() noexcept {
  return *parts_->wireup;
}
proto::Lanes& Runtime::lanes() noexcept {
  return parts_->lanes;
}
proto::BsendBuffer& Runtime::bsend_buffer() noexcept {
  return parts_->bsend_buffer;
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

void Runtime::abort_job(int status, const std::string& text) {
  abort_processes({}, status, text);
}

void Runtime::abort_processes(std::vector<int> ranks, int status, const std::string& text) {
  std::fflush(nullptr);  // what the program has printed is part of what happened
  if (ranks.size() == static_cast<std::size_t>(parts_->identity.size)) ranks.clear();
  parts_->wireup->abort(status, fmt::format("rank {} on {}: {}", parts_->identity.rank, parts_->host, text), ranks);
  // Without a launcher, or one that refused, this process ends by itself.
  log::error("{}", text);
  std::_Exit(status);
}

namespace {

/// The world ranks of a communicator's processes, of both groups if it has two.
std::vector<int> world_ranks_of(const comm::Communicator& comm) {
  std::vector<int> ranks;
  const auto add = [&ranks](const comm::Group& group) {
    for (int rank = 0; rank < group.size(); ++rank) ranks.push_back(group.process(rank));
  };
  add(comm.group());
  if (comm.inter()) add(comm.bridge()->remote);
  return ranks;
}

}  // namespace

int raise_error(comm::ErrorHandler& handler, void* handle, int code, const std::string& text) {
  switch (handler.action()) {
    case comm::ErrorHandler::Action::end_job:
      runtime().abort_job(code, text);
    case comm::ErrorHandler::Action::end_comm:  // of a session, which is this process's own
      runtime().abort_processes({runtime().self().world_rank(0)}, code, text);
    case comm::ErrorHandler::Action::call_user:
      handler.call(handle, &code);
      break;
    case comm::ErrorHandler::Action::to_caller:
      break;
  }
  return code;
}

int raise_error(comm::Communicator& comm, int code, const std::string& text) {
  const auto handler = comm.error_handler();  // the program's may free itself
  if (handler->action() == comm::ErrorHandler::Action::end_comm)
    runtime().abort_processes(world_ranks_of(comm), code, text);
  MPI_Comm handle = to_handle(comm);
  return raise_error(*handler, static_cast<void*>(&handle), code, text);
}

}  // namespace bowline::api
