// SPDX-License-Identifier: BSD-3-Clause
// The wire-up under a server that tells what PRRTE's daemons tell, of two nodes with two ranks each: no map of ranks,
// the number of a node only to its own ranks, and counted with another node before them. Questions about ranks of the
// other node, and about what it has not told, are never answered.
//
//   other_server          runs a server for each node, with one rank, and compares what the ranks say
//   other_server NODE     such a server
#include <fmt/format.h>
#include <pmix.h>
#include <pmix_server.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "wireup/wireup.hpp"

namespace {

using bowline::Error;
using bowline::ErrorClass;

constexpr int nodes = 2;
constexpr int ranks_per_node = 2;
constexpr int ranks = nodes * ranks_per_node;
constexpr std::array<const char*, nodes> hosts = {"left", "right"};

void check(pmix_status_t status, const char* call) {
  if (status == PMIX_SUCCESS || status == PMIX_OPERATION_SUCCEEDED) return;
  throw Error(ErrorClass::other, fmt::format("{}: {}", call, PMIx_Error_string(status)));
}

// ---- a rank

/// Such a server would ignore that children are to outlive the job.
bool refuses_to_be_outlived(bowline::wireup::Wireup& wireup) {
  bowline::wireup::Program child;
  child.name = "/bin/true";
  child.outlives = true;
  try {
    static_cast<void>(wireup.spawn(std::array{child}, "port"));
  } catch (const bowline::wireup::SpawnFailure& failure) {
    return std::string(failure.what()).find("bowline_outlive") != std::string::npos;
  }
  return false;
}

void rank() {
  const auto wireup = bowline::wireup::connect();
  const int here = wireup->identity().rank / ranks_per_node;
  wireup->ask({wireup->identity().job, (1 - here) * ranks_per_node}, "card");
  std::string text;
  for (int again = 0; again < 2; ++again) {
    for (int rank = 0; rank < ranks; ++rank) text += fmt::format("{} ", wireup->node_of(rank));
  }
  fmt::print("{}of {}{}\n", text, wireup->identity().nodes, refuses_to_be_outlived(*wireup) ? "" : ", and outlived");
  std::fflush(stdout);
  std::_Exit(0);  // the question is still open
}

// ---- a server

class List {
 public:
  List() : list_(PMIx_Info_list_start()) {}
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() {
    PMIX_DATA_ARRAY_DESTRUCT(&array_);
    PMIx_Info_list_release(list_);
  }
  void add(const char* key, const void* value, pmix_data_type_t type) {
    check(PMIx_Info_list_add(list_, key, value, type), "PMIx_Info_list_add");
  }
  void add(const char* key, int value, pmix_data_type_t type = PMIX_UINT32) { add(key, &value, type); }
  void add(const char* key, const std::string& value) { add(key, value.c_str(), PMIX_STRING); }
  pmix_data_array_t& array() {
    check(PMIx_Info_list_convert(list_, &array_), "PMIx_Info_list_convert");
    return array_;
  }

 private:
  void* list_;
  pmix_data_array_t array_{};
};

void describe_job(List& job, int node) {
  const int first = node * ranks_per_node;
  job.add(PMIX_JOB_SIZE, ranks);
  job.add(PMIX_NUM_NODES, nodes);
  job.add(PMIX_NODE_LIST, fmt::format("{},{}", hosts[0], hosts[1]));
  job.add(PMIX_LOCAL_PEERS, fmt::format("{},{}", first, first + 1));
  for (int rank = 0; rank < ranks; ++rank) {
    List process;
    process.add(PMIX_RANK, rank, PMIX_PROC_RANK);
    process.add(PMIX_HOSTNAME, hosts[static_cast<std::size_t>(rank / ranks_per_node)]);
    if (rank / ranks_per_node == node) process.add(PMIX_NODEID, node + 1);
    job.add(PMIX_PROC_DATA, &process.array(), PMIX_DATA_ARRAY);
  }
}

class Latch {
 public:
  static void done(pmix_status_t, void* self) {
    auto& latch = *static_cast<Latch*>(self);
    const std::lock_guard hold(latch.mutex_);
    latch.done_ = true;
    latch.changed_.notify_one();
  }
  void wait() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return done_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
};

pmix_status_t answers_never(const pmix_proc_t*, const pmix_info_t[], size_t, pmix_modex_cbfunc_t, void*) {
  return PMIX_SUCCESS;
}

pmix_status_t connected(const pmix_proc_t*, void*, pmix_info_t[], size_t, pmix_op_cbfunc_t, void*) {
  return PMIX_OPERATION_SUCCEEDED;
}

/// Becomes the first rank of the node.
void start_rank(const pmix_proc_t& process) {
  char** variables = nullptr;
  check(PMIx_server_setup_fork(&process, &variables), "PMIx_server_setup_fork");
  const pid_t child = fork();
  if (child == 0) {
    for (char** text = variables; text != nullptr && *text != nullptr; ++text) putenv(*text);
    execl("/proc/self/exe", "other_server", nullptr);
    std::_Exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  std::_Exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);  // PMIx's server cannot be stopped safely
}

void serve(int node) {
  static pmix_server_module_t module{};
  module.client_connected2 = connected;
  module.direct_modex = answers_never;
  setenv("PMIX_MCA_gds", "hash", 0);
  check(PMIx_server_init(&module, nullptr, 0), "PMIx_server_init");
  const std::string name = fmt::format("other-{}-{}", getpid(), node);
  List job;
  describe_job(job, node);
  pmix_data_array_t& told = job.array();
  Latch job_known;
  check(PMIx_server_register_nspace(name.c_str(), ranks_per_node, static_cast<pmix_info_t*>(told.array), told.size,
                                    Latch::done, &job_known),
        "PMIx_server_register_nspace");
  job_known.wait();
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, name.c_str(), static_cast<pmix_rank_t>(node * ranks_per_node));
  Latch rank_known;
  check(PMIx_server_register_client(&process, getuid(), getgid(), nullptr, Latch::done, &rank_known),
        "PMIx_server_register_client");
  rank_known.wait();
  start_rank(process);
}

// ---- both

/// What that server's rank says. PMIx's server alone takes ten seconds of a core under AddressSanitizer.
std::string answer_of(int node) {
  const std::string command = fmt::format("timeout 80 /proc/{}/exe {}", getpid(), node);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 256> line{};
  return std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) == nullptr ? "nothing\n" : line.data();
}

int compare() {
  int failures = 0;
  for (int node = 0; node < nodes; ++node) {
    const std::string expected = "0 0 1 1 0 0 1 1 of 2\n";
    const std::string answer = answer_of(node);
    if (answer == expected) continue;
    fmt::print(stderr, "on {} ranks 0 to 3, asked twice, are on nodes {}instead of {}",
               hosts[static_cast<std::size_t>(node)], answer, expected);
    ++failures;
  }
  return std::min(failures, 1);
}

}  // namespace

int main(int argc, char** argv) try {
  if (std::getenv("PMIX_RANK") != nullptr) rank();
  if (argc == 1) return compare();
  serve(std::atoi(argv[1]));
} catch (const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
