// SPDX-License-Identifier: BSD-3-Clause
#include "api/runtime.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "base/log.hpp"
#include "base/tunable.hpp"
#include "node/host.hpp"
#include "proto/engine.hpp"
#include "shm/device.hpp"
#include "transport/self.hpp"
#include "wireup/wireup.hpp"

namespace bowline::api {
namespace {

constexpr const char* shm_key = "bowline.shm";

/// More ranks than cores on this node? A rank that is bound sees only its own cores, so the launcher's are counted too.
bool more_ranks_than_cores(std::size_t local_ranks) {
  cpu_set_t launcher;
  const bool known = sched_getaffinity(getppid(), sizeof launcher, &launcher) == 0;
  const int cores = std::max(node::usable_cores(), known ? CPU_COUNT(&launcher) : 1);
  return local_ranks > static_cast<std::size_t>(cores);
}

}  // namespace

constinit Runtime the_runtime;

/// In the order in which they need each other.
struct Runtime::Parts {
  explicit Parts(OwnerLock& lock)
      : wireup(wireup::connect()),
        identity(wireup->identity()),
        host(node::host_name()),
        crowded(more_ranks_than_cores(identity.local_ranks.size())),
        self_device(identity.rank),
        engine(
            identity.size, [this](int rank) { return connect(rank); }, WaitPolicy::make(crowded), lock),
        world("MPI_COMM_WORLD", 0, engine, {.first = 0, .stride = 1}, identity.rank, identity.size, crowded),
        self("MPI_COMM_SELF", 1, engine, {.first = identity.rank, .stride = 1}, 0, 1, false) {
    log::set_identity(identity.rank, host);
    if (identity.local_ranks.size() > 1) {
      shm_device.emplace(identity.rank, identity.local_ranks);
      engine.add_device(*shm_device);
      wireup->publish(shm_key, shm_device->address());
    }
    if (identity.size > 1) wireup->exchange();
  }

  std::unique_ptr<transport::Endpoint> connect(int rank) {
    if (rank == identity.rank) {
      engine.add_device(self_device);
      return self_device.connect(rank, {});
    }
    if (!std::ranges::binary_search(identity.local_ranks, rank)) {
      throw Error(ErrorClass::other, fmt::format("rank {} runs on another node, and this version of Bowline has no "
                                                 "transport between nodes: start all ranks on one node",
                                                 rank));
    }
    return shm_device->connect(rank, wireup->lookup(rank, shm_key));
  }

  std::unique_ptr<wireup::Wireup> wireup;
  const wireup::Identity& identity;
  std::string host;
  bool crowded;
  transport::SelfDevice self_device;
  std::optional<shm::ShmDevice> shm_device;
  proto::Engine engine;
  comm::Communicator world;
  comm::Communicator self;
};

void Runtime::init(int thread_level) {
  tunables::load_environment();
  parts_ = new Parts(lock_);
  world_ = &parts_->world;
  self_ = &parts_->self;
  thread_level_ = thread_level;
  main_thread_ = this_thread_mark();
  state_ = State::running;
}

void Runtime::finalize() {
  parts_->engine.drain();
  parts_->wireup->finalize();
  state_ = State::finalized;
  world_ = self_ = nullptr;
  delete std::exchange(parts_, nullptr);
}

bool Runtime::is_main_thread() const noexcept {
  return main_thread_ == this_thread_mark();
}

comm::Communicator* Runtime::with_context(std::uint32_t context) noexcept {
  for (comm::Communicator* comm : {world_, self_}) {
    if (comm->context() == context || comm->team().context == context) return comm;
  }
  return nullptr;
}

void Runtime::abort_job(int status, const std::string& text) {
  std::fflush(nullptr);  // what the program has printed is part of what happened
  parts_->wireup->abort(status, fmt::format("rank {} on {}: {}", parts_->identity.rank, parts_->host, text));
  // Without a launcher, or one that refused, this process ends by itself.
  log::error("{}", text);
  std::_Exit(status);
}

int raise_error(comm::Communicator& comm, ErrorClass error_class, const std::string& text) {
  if (comm.error_handler().action() != comm::ErrorHandler::Action::to_caller) {
    runtime().abort_job(static_cast<int>(error_class), text);
  }
  return static_cast<int>(error_class);
}

}  // namespace bowline::api
