// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/process_parts.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/log.hpp"
#include "base/tunable.hpp"
#include "base/waits/wait_board.hpp"
#include "mpiio/sharing/pointer_service.hpp"
#include "node/host.hpp"
#include "node/placement.hpp"
#include "proto/services/partitioned.hpp"
#include "rma/messages/window_service.hpp"

namespace bowline::runtime {
namespace {

Tunable<std::size_t> lanes_tunable(Category::start, "lanes", 4, 1, proto::max_lanes,
                                   "parts of the library that threads use without contending, each with buffers and "
                                   "queues of its own; communicators are spread over them (MPI_THREAD_MULTIPLE only)");

Tunable<bool> progress_thread_tunable(
    TunableTraits(Category::waiting).for_users(), "progress_thread", false, false, true,
    "whether a thread of the library moves what has begun, and accepts connections, while the program computes; "
    "it needs time on a core, and every call then takes a lock");

unsigned lane_count(bool threaded) {
  return threaded ? static_cast<unsigned>(lanes_tunable.value()) : 1;
}

/// The number of cores for the ranks of this node. A bound rank sees only its own cores, so the cores of its parent,
/// the launcher, count too.
std::size_t cores_of_ranks() {
  cpu_set_t launcher;
  const bool known = sched_getaffinity(getppid(), sizeof launcher, &launcher) == 0;
  return static_cast<std::size_t>(std::max(node::usable_cores(), known ? CPU_COUNT(&launcher) : 1));
}

std::unique_ptr<wireup::Wireup> connected() {
  const ShownWait wait("for the launcher");
  return wireup::connect();
}

}  // namespace

Parts::Parts(bool threaded, const std::function<void(const Error&)>& lost)
    : wireup(connected()),
      identity(wireup->identity()),
      processes(identity.job, identity.size),
      host(node::host_name()),
      cores(cores_of_ranks()),
      transports(*wireup, processes, host, lane_count(threaded),
                 when_sent_to_self(threaded || progress_thread_tunable.value())),
      lanes(transports.sleeper()),
      lane(make_lanes(threaded)),
      world("MPI_COMM_WORLD", {.index = comm::IndexSpace::world}, lanes[0], comm::Group::sequence(0, 1, identity.size),
            identity.rank, oversubscribed()),
      self("MPI_COMM_SELF", {.index = comm::IndexSpace::self}, lanes[0], comm::Group::sequence(identity.rank, 1, 1),
           identity.rank, false),
      machine(*wireup, transports.wireup_mutex()),
      jobs(identity, processes, transports, lanes),
      communicators(lanes, identity.rank, whereabouts()),
      hang_judge(lanes[0], identity.rank, host) {
  whereabouts().tell(world.team(), true);
  log::set_identity(identity.rank, host);
  if (identity.size > 1) {
    const ShownWait wait("for the other ranks of this host");
    wireup->exchange();
  }
  for (const auto& each : lane) {
    const auto number = static_cast<unsigned>(directory.size());
    directory.emplace_back(each->engine, number, world, self, communicators, transports, failed, lost);
    survival.emplace_back(each->engine,
                          [this, number](std::uint32_t context) { return directory[number].find(context); });
  }
  hang_judge.begin();
  ShownWait::show_to_user(identity.rank, identity.size, identity.job);
  lanes[0].liveness().keep_watch(transports.next_remote());
  if (const int next = (identity.rank + 1) % identity.size; transports.is_remote(next))
    transports.remote_addresses().look_ahead(next);
  // Several threads of a process spread over the cores without help.
  const bool helped = progress_thread_tunable.value();
  if (oversubscribed() && !threaded && !helped)
    lanes.settle_with([index = local_index()] { node::move_to_preferred_core(index); });
  if (helped) progress_thread = std::make_unique<proto::ProgressThread>(lanes);
}

void Parts::go_on() {
  loss.forget();
  for (const auto& each : lane) {
    const LockGuard hold(each->lock);
    each->engine.liveness().sends_are_unattended(false);
  }
  if (progress_thread_tunable.value() && progress_thread == nullptr)
    progress_thread = std::make_unique<proto::ProgressThread>(lanes);
}

void Parts::all_have_left() {
  for (const auto& each : lane) {
    const LockGuard hold(each->lock);
    each->engine.farewells().all_have_left();
  }
}

/// Collectives use shared memory only if messages may use it too, because the shared-memory transport wakes sleeping
/// ranks.
comm::Whereabouts Parts::whereabouts() const {
  return {.here = transports.local_ranks(),
          .near = [this] { return transports.local_processes(); },
          .ranks = identity.size,
          .oversubscribed = oversubscribed(),
          .machine = transports.network_only() ? nullptr : &machine};
}

/// The index of this rank among the ranks of its node.
std::size_t Parts::local_index() const {
  const auto here = std::ranges::lower_bound(identity.local_ranks, identity.rank);
  return static_cast<std::size_t>(here - identity.local_ranks.begin());
}

/// What to call after each message of the process to itself: another thread may sleep until the message arrives.
std::function<void()> Parts::when_sent_to_self(bool locked) {
  if (!locked) return {};
  return [this] { lanes.wake_sleepers(); };
}

/// If messages pass through the kernel, each poll is a system call, so a waiting rank sleeps soon. A yield does not
/// help if the rank that needs the core belongs to another session or control group, as ranks of other nodes on the
/// same machine do: a kernel that schedules by groups offers the core to the group of the yielding rank first.
WaitPolicy Parts::wait_policy(bool threaded) const {
  return WaitPolicy::make({.ranks = identity.local_ranks.size(),
                           .cores = cores,
                           .threaded = threaded,
                           .through_kernel = transports.through_kernel()});
}

std::vector<std::unique_ptr<Lane>> Parts::make_lanes(bool threaded) {
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
    engine.flow().share_budget(lane_count(threaded));
    engine.rendezvous().paths().share_budget(identity.local_ranks.size() * lane_count(threaded));
    engine.services().add(std::make_unique<proto::PartitionedTable>(engine));
    engine.services().add(std::make_unique<rma::WindowService>(
        engine, [this, number](int process) { return transports.connect_network(number, process); }));
    engine.services().add(std::make_unique<mpiio::PointerService>(engine));
  }
  return made;
}

}  // namespace bowline::runtime
