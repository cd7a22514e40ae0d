// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/pmix_connection.hpp"

#include <fmt/format.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>

#include "base/error.hpp"
#include "base/existing_directory.hpp"
#include "base/job_folder.hpp"
#include "base/log.hpp"
#include "wireup/pmix_home.hpp"
#include "wireup/pmix_library.hpp"
#include "wireup/slurm_environment.hpp"

namespace bowline::wireup {
namespace {

Error unreachable() {
  return Error(ErrorClass::other,
               fmt::format("the launcher's PMIx server cannot be reached: it listens on the loopback interface of the "
                           "launcher's network namespace; start the ranks in that namespace, or, under Bowline's "
                           "mpiexec, leave /proc and the descriptor that {} names to them",
                           JobFolderTicket::variable));
}

/// During its lifetime, chooses how the PMIx library stores the server's data about the job, unless the user has
/// chosen.
///
/// Slurm's default is memory that the processes of a node share; opening it takes each process tens of milliseconds. A
/// private table takes few milliseconds, but grows with the job, so large jobs share.
class DataStore {
 public:
  DataStore() {
    const char* offered = std::getenv("PMIX_GDS_MODULE");
    const int size = step_size();
    chosen_ = offered != nullptr && std::string_view(offered).find("hash") != std::string_view::npos && size > 0 &&
              size <= largest_own_table && std::getenv(variable) == nullptr;
    if (chosen_) setenv(variable, "hash", 0);
  }
  ~DataStore() {
    if (chosen_) unsetenv(variable);
  }
  DataStore(const DataStore&) = delete;
  DataStore& operator=(const DataStore&) = delete;

 private:
  static constexpr const char* variable = "PMIX_MCA_gds";
  static constexpr int largest_own_table = 128;  // ranks; each takes 2 kB
  bool chosen_;
};

/// Blocks SIGPIPE, because PMIx writes to its server without MSG_NOSIGNAL. The threads that PMIx starts meanwhile
/// inherit the mask. If the server has ended, they and this thread get an error, and the process survives.
class NoBrokenPipes {
 public:
  NoBrokenPipes() noexcept {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipes() {
    constexpr timespec at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipes(const NoBrokenPipes&) = delete;
  NoBrokenPipes& operator=(const NoBrokenPipes&) = delete;

 private:
  bool was_pending_;  ///< whether the signal was pending before; then it belongs to the program
  sigset_t pipe_;
  sigset_t before_;
};

}  // namespace

void fail(pmix_status_t status, const std::string& what) {
  throw Error(ErrorClass::other,
              fmt::format("{} failed: the PMIx server answered {}", what, pmix().error_string(status)));
}

void check(pmix_status_t status, const char* what) {
  if (status != PMIX_SUCCESS) fail(status, what);
}

pmix_proc_t connect_pmix() {
  const DataStore quick;
  const PmixHome home;
  const NoBrokenPipes threads;
  const InExistingDirectory quiet;
  pmix_proc_t self{};
  const pmix_status_t connected = pmix_client().init(&self, nullptr, 0);
  if (connected == PMIX_ERR_UNREACH) throw unreachable();
  check(connected, "PMIx_Init");
  return self;
}

void disconnect_pmix() {
  check(pmix_client().finalize(nullptr, 0), "PMIx_Finalize");
}

PmixConnection::PmixConnection(bool needed) : made_(needed) {
  if (made_) connect_pmix();
}

PmixConnection::~PmixConnection() {
  if (!made_) return;
  const pmix_status_t status = pmix_client().finalize(nullptr, 0);
  if (status != PMIX_SUCCESS) log::info("PMIx_Finalize failed: {}", pmix().error_string(status));
}

}  // namespace bowline::wireup
