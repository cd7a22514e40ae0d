// SPDX-License-Identifier: BSD-3-Clause
// A PMIx server with one namespace whose ranks are all local. The PMIx library serves fences, gets and puts by itself;
// the callbacks here receive the connection, finalization and abort of a rank.
#include "launcher/job/pmix_server.hpp"

#include <event2/event.h>
#include <pmix.h>
#include <pmix_server.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/existing_directory.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

std::atomic<PmixServer*> server = nullptr;  // PMIx's callbacks have no argument for it

/// Posts the event that `make` returns. Called on PMIx's thread, whose frames no exception may pass. If there is no
/// memory for the event, the rank that has caused it gets an error.
template <class Make>
pmix_status_t post(pmix_status_t success, const Make& make) noexcept {
  try {
    if (PmixServer* const receiver = server) receiver->post(make());
    return success;
  } catch (const std::exception&) {
    return PMIX_ERR_NOMEM;
  }
}

void check(pmix_status_t status, const char* call) {
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) {
    throw LaunchError("{} failed: {}", call, PMIx_Error_string(status));
  }
}

/// Waits for callbacks on PMIx's thread. They share the state, so it still exists for callbacks that run after an error
/// has been thrown.
class Latch {
 public:
  /// `call` passes the two arguments to a function of PMIx, which calls back only if it returns PMIX_SUCCESS.
  template <class Call>
  void start(const char* name, const Call& call) {
    auto kept = std::make_unique<std::shared_ptr<State>>(state_);
    count(1);
    const pmix_status_t status = call(&Latch::done, kept.get());
    if (status == PMIX_SUCCESS) {
      static_cast<void>(kept.release());  // done() owns it now, and may have deleted it already
      return;
    }
    count(-1);
    check(status, name);
  }
  void wait(const char* what) {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->open == 0; });
    check(state_->failure, what);
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int open = 0;
    pmix_status_t failure = PMIX_SUCCESS;
  };

  void count(int change) {
    const std::lock_guard lock(state_->mutex);
    state_->open += change;
  }
  static void done(pmix_status_t status, void* kept) noexcept {
    const std::unique_ptr<std::shared_ptr<State>> owner(static_cast<std::shared_ptr<State>*>(kept));
    State& state = **owner;
    const std::lock_guard lock(state.mutex);
    if (status != PMIX_SUCCESS) state.failure = status;
    --state.open;
    state.changed.notify_one();
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// A growing list of attributes, which PMIx copies. Owns what it contains.
class InfoList {
 public:
  InfoList() : list_(PMIx_Info_list_start()) {}
  ~InfoList() { PMIx_Info_list_release(list_); }
  InfoList(const InfoList&) = delete;
  InfoList& operator=(const InfoList&) = delete;

  void add(const char* key, const std::string& value) { add(key, value.c_str(), PMIX_STRING); }
  void add(const char* key, uint32_t value) { add(key, &value, PMIX_UINT32); }
  void add(const char* key, uint16_t value) { add(key, &value, PMIX_UINT16); }
  void add(const char* key, bool value) { add(key, &value, PMIX_BOOL); }
  void add_rank(const char* key, pmix_rank_t value) { add(key, &value, PMIX_PROC_RANK); }
  void add(const char* key, const InfoList& list) {
    pmix_data_array_t array = list.array();
    add(key, &array, PMIX_DATA_ARRAY);
    PMIX_DATA_ARRAY_DESTRUCT(&array);
  }
  void add(const char* key, const void* value, pmix_data_type_t type) {
    check(PMIx_Info_list_add(list_, key, value, type), "PMIx_Info_list_add");
  }
  /// The caller destructs the result.
  pmix_data_array_t array() const {
    pmix_data_array_t array{};
    check(PMIx_Info_list_convert(list_, &array), "PMIx_Info_list_convert");
    return array;
  }

 private:
  void* list_;
};

int rank_of(const pmix_proc_t* process) {
  return static_cast<int>(process->rank);
}

pmix_status_t on_connected(const pmix_proc_t* process, void*, pmix_info_t[], size_t, pmix_op_cbfunc_t, void*) {
  return post(PMIX_OPERATION_SUCCEEDED,
              [&] { return PmixEvent{.kind = PmixEvent::Kind::connected, .rank = rank_of(process)}; });
}

pmix_status_t on_finalized(const pmix_proc_t* process, void*, pmix_op_cbfunc_t, void*) {
  return post(PMIX_OPERATION_SUCCEEDED,
              [&] { return PmixEvent{.kind = PmixEvent::Kind::finalized, .rank = rank_of(process)}; });
}

/// The abort is never confirmed: the caller only waits to be ended, and PMIx would write the confirmation to a process
/// that may be gone by then.
pmix_status_t on_abort(const pmix_proc_t* process, void*, int status, const char text[], pmix_proc_t whom[],
                       size_t count, pmix_op_cbfunc_t, void*) {
  return post(PMIX_SUCCESS, [&] {
    std::vector<int> ranks;
    for (const pmix_proc_t& each : std::span(whom, whom == nullptr ? 0 : count)) ranks.push_back(rank_of(&each));
    return PmixEvent{.kind = PmixEvent::Kind::aborted,
                     .rank = rank_of(process),
                     .code = status,
                     .text = text == nullptr ? "" : text,
                     .whom = std::move(ranks)};
  });
}

/// Admits no tools: a tool names no rank, and its user id is its own claim. Without this function PMIx admits all
/// tools, and a refusal ends PMIx 4.2.2 by a segmentation fault. So this function does not respond.
void on_tool(pmix_info_t[], size_t, pmix_tool_connection_cbfunc_t, void*) {}

/// Called when every rank has arrived. There are no data to fetch from another node.
pmix_status_t on_fence(const pmix_proc_t[], size_t, const pmix_info_t[], size_t, char* data, size_t size,
                       pmix_modex_cbfunc_t done, void* context) {
  done(PMIX_SUCCESS, data, size, context, nullptr, nullptr);
  return PMIX_SUCCESS;
}

/// Called for a rank that is not local; there is none.
pmix_status_t on_direct_modex(const pmix_proc_t*, const pmix_info_t[], size_t, pmix_modex_cbfunc_t, void*) {
  return PMIX_ERR_NOT_FOUND;
}

pmix_status_t on_notify(pmix_status_t, const pmix_proc_t*, pmix_data_range_t, pmix_info_t[], size_t, pmix_op_cbfunc_t,
                        void*) {
  return PMIX_OPERATION_SUCCEEDED;  // every process is local, and PMIx notifies those itself
}

pmix_server_module_t callbacks() {
  pmix_server_module_t module{};
  module.client_connected2 = on_connected;
  module.client_finalized = on_finalized;
  module.abort = on_abort;
  module.fence_nb = on_fence;
  module.direct_modex = on_direct_modex;
  module.notify_event = on_notify;
  module.tool_connected = on_tool;
  return module;
}

std::string node_map(const std::string& host) {
  char* text = nullptr;
  check(PMIx_generate_regex(host.c_str(), &text), "PMIx_generate_regex");
  std::string result = text;
  free(text);
  return result;
}

std::string process_map(size_t ranks) {
  std::string list;
  for (size_t rank = 0; rank < ranks; ++rank) list += fmt::format("{}{}", rank == 0 ? "" : ",", rank);
  char* text = nullptr;
  check(PMIx_generate_ppn(list.c_str(), &text), "PMIx_generate_ppn");
  std::string result = text;
  free(text);
  return result;
}

void describe_rank(InfoList& job, const JobLayout& layout, int rank, int app_rank) {
  const int app = layout.app_of_rank[static_cast<size_t>(rank)];
  InfoList info;
  info.add_rank(PMIX_RANK, static_cast<pmix_rank_t>(rank));
  info.add(PMIX_APPNUM, static_cast<uint32_t>(app));
  info.add_rank(PMIX_APP_RANK, static_cast<pmix_rank_t>(app_rank));
  info.add_rank(PMIX_GLOBAL_RANK, static_cast<pmix_rank_t>(rank));
  info.add(PMIX_LOCAL_RANK, static_cast<uint16_t>(rank));
  info.add(PMIX_NODE_RANK, static_cast<uint16_t>(rank));
  info.add(PMIX_NODEID, uint32_t{0});
  info.add(PMIX_HOSTNAME, layout.host);
  if (const std::string& cpus = layout.cpus[static_cast<size_t>(rank)]; !cpus.empty()) {
    info.add(PMIX_CPUSET, "hwloc:" + cpus);
  }
  job.add(PMIX_PROC_DATA, info);
}

}  // namespace

PmixServer::PmixServer(const std::filesystem::path& scratch, const Topology& topology)
    : event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), scratch_(scratch.string()) {
  server = this;
  // PMIx's event library warns on stderr when a rank dies before it has read a response; mpiexec itself reports dead
  // ranks.
  event_set_log_callback([](int, const char*) {});
  // PMIx does not verify the user id that a client claims. A name that only the ranks know keeps other users of the
  // machine out.
  std::random_device random;
  namespace_ = fmt::format("bowline-{}-{:08x}{:08x}{:08x}{:08x}", getpid(), random(), random(), random(), random());
  static pmix_server_module_t module = callbacks();
  InfoList options;
  if (!scratch_.empty()) {
    options.add(PMIX_SERVER_TMPDIR, scratch_);
    options.add(PMIX_SYSTEM_TMPDIR, scratch_);
  }
  options.add(PMIX_SERVER_NSPACE, fmt::format("bowline-{}-server", getpid()));  // PMIx gives it to any client
  options.add_rank(PMIX_SERVER_RANK, 0);
  std::string source = "hwloc";
  pmix_topology_t known{.source = source.data(), .topology = topology.handle()};
  options.add(PMIX_TOPOLOGY2, &known, PMIX_TOPO);
  // The default data store costs every client tens of milliseconds, at Finalize up to two seconds.
  setenv("PMIX_MCA_gds", "hash", 0);
  pmix_data_array_t array = options.array();
  const InExistingDirectory quiet;
  const pmix_status_t status = PMIx_server_init(&module, static_cast<pmix_info_t*>(array.array), array.size);
  PMIX_DATA_ARRAY_DESTRUCT(&array);
  check(status, "PMIx_server_init");
}

// Does not call PMIx_server_finalize(), which may deadlock or crash when a rank was killed in the middle of its
// PMIx_Init. PMIx's thread therefore still runs, and event_fd_ stays open for it.
PmixServer::~PmixServer() {
  server = nullptr;
}

void PmixServer::register_job(const JobLayout& layout) {
  const auto size = static_cast<uint32_t>(layout.app_of_rank.size());
  InfoList job;
  job.add(PMIX_JOBID, namespace_);
  if (!scratch_.empty()) {
    job.add(PMIX_TMPDIR, scratch_);
    job.add(PMIX_NSDIR, scratch_);
  }
  job.add(PMIX_NODE_MAP, node_map(layout.host));
  job.add(PMIX_PROC_MAP, process_map(size));
  for (const char* key : {PMIX_UNIV_SIZE, PMIX_JOB_SIZE, PMIX_LOCAL_SIZE, PMIX_NODE_SIZE, PMIX_MAX_PROCS}) {
    job.add(key, size);
  }
  job.add(PMIX_NUM_NODES, uint32_t{1});
  job.add(PMIX_JOB_NUM_APPS, static_cast<uint32_t>(layout.app_of_rank.back() + 1));
  std::string peers;
  for (uint32_t rank = 0; rank < size; ++rank) peers += fmt::format("{}{}", rank == 0 ? "" : ",", rank);
  job.add(PMIX_LOCAL_PEERS, peers);
  job.add_rank(PMIX_LOCALLDR, 0);
  for (int rank = 0, app_rank = 0; rank < static_cast<int>(size); ++rank) {
    const auto index = static_cast<size_t>(rank);
    app_rank = rank > 0 && layout.app_of_rank[index] == layout.app_of_rank[index - 1] ? app_rank + 1 : 0;
    describe_rank(job, layout, rank, app_rank);
  }

  Latch latch;
  pmix_data_array_t array = job.array();
  latch.start("PMIx_server_register_nspace", [&](pmix_op_cbfunc_t done, void* context) {
    return PMIx_server_register_nspace(namespace_.c_str(), static_cast<int>(size),
                                       static_cast<pmix_info_t*>(array.array), array.size, done, context);
  });
  pmix_proc_t process;
  for (uint32_t rank = 0; rank < size; ++rank) {
    PMIX_LOAD_PROCID(&process, namespace_.c_str(), rank);
    latch.start("PMIx_server_register_client", [&](pmix_op_cbfunc_t done, void* context) {
      return PMIx_server_register_client(&process, getuid(), getgid(), nullptr, done, context);
    });
  }
  latch.wait("registration of the job with PMIx");
  PMIX_DATA_ARRAY_DESTRUCT(&array);
}

std::vector<std::string> PmixServer::environment(int rank) const {
  pmix_proc_t process;
  PMIX_LOAD_PROCID(&process, namespace_.c_str(), static_cast<pmix_rank_t>(rank));
  char** list = nullptr;
  check(PMIx_server_setup_fork(&process, &list), "PMIx_server_setup_fork");
  std::vector<std::string> result;
  for (char** text = list; text != nullptr && *text != nullptr; ++text) {
    result.emplace_back(*text);
    free(*text);
  }
  free(list);
  return result;
}

std::vector<PmixEvent> PmixServer::take_events() {
  uint64_t count = 0;
  (void)!read(event_fd_, &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return std::exchange(events_, {});
}

void PmixServer::post(PmixEvent event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  const uint64_t one = 1;
  (void)!write(event_fd_, &one, sizeof one);
}

}  // namespace bowline::launcher
