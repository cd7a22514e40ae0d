// SPDX-License-Identifier: BSD-3-Clause
// PMIx server with one namespace whose ranks are all local: the library answers fences, gets and puts by itself; what
// reaches this file is "a rank came, went or aborted".
#include "launcher/pmix_server.hpp"

#include <event2/event.h>
#include <pmix.h>
#include <pmix_server.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <utility>

#include "launcher/error.hpp"

namespace bowline::launcher {
namespace {

std::atomic<PmixServer*> server = nullptr;  // PMIx's callbacks carry no context of ours

void post(PmixEvent event) {
  if (PmixServer* receiver = server) receiver->post(std::move(event));
}

void check(pmix_status_t status, const char* call) {
  if (status != PMIX_SUCCESS && status != PMIX_OPERATION_SUCCEEDED) {
    throw LaunchError("{} failed: {}", call, PMIx_Error_string(status));
  }
}

/// Waits for callbacks that run on PMIx's thread.
class Latch {
 public:
  /// Counts one started call; PMIx never calls back for one that reports that it is done already.
  void started(pmix_status_t status, const char* call) {
    check(status, call);
    const std::lock_guard lock(mutex_);
    if (status == PMIX_SUCCESS) ++open_;
  }
  static void done(pmix_status_t status, void* self) {
    auto& latch = *static_cast<Latch*>(self);
    const std::lock_guard lock(latch.mutex_);
    if (status != PMIX_SUCCESS) latch.failure_ = status;
    --latch.open_;
    latch.changed_.notify_one();
  }
  void wait(const char* call) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_ == 0; });
    check(failure_, call);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int open_ = 0;  // below zero while a callback has overtaken its caller
  pmix_status_t failure_ = PMIX_SUCCESS;
};

/// A list of attributes that PMIx copies; grows, and owns what it holds.
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
  /// The caller destructs it.
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
  post({.kind = PmixEvent::Kind::connected, .rank = rank_of(process)});
  return PMIX_OPERATION_SUCCEEDED;
}

pmix_status_t on_finalized(const pmix_proc_t* process, void*, pmix_op_cbfunc_t, void*) {
  post({.kind = PmixEvent::Kind::finalized, .rank = rank_of(process)});
  return PMIX_OPERATION_SUCCEEDED;
}

/// One rank's call ends the whole job, whichever processes it names: they share one MPI_COMM_WORLD. It is never
/// answered: the caller has nothing left to do but to be ended, and PMIx would write its answer to whoever is gone by
/// then.
pmix_status_t on_abort(const pmix_proc_t* process, void*, int status, const char text[], pmix_proc_t[], size_t,
                       pmix_op_cbfunc_t, void*) {
  post({.kind = PmixEvent::Kind::aborted,
        .rank = rank_of(process),
        .code = status,
        .text = text == nullptr ? "" : text});
  return PMIX_SUCCESS;
}

/// Reached when every rank has arrived: nothing has to be fetched from another node.
pmix_status_t on_fence(const pmix_proc_t[], size_t, const pmix_info_t[], size_t, char* data, size_t size,
                       pmix_modex_cbfunc_t done, void* context) {
  done(PMIX_SUCCESS, data, size, context, nullptr, nullptr);
  return PMIX_SUCCESS;
}

/// Asked for a rank that is not local: there is none.
pmix_status_t on_direct_modex(const pmix_proc_t*, const pmix_info_t[], size_t, pmix_modex_cbfunc_t, void*) {
  return PMIX_ERR_NOT_FOUND;
}

pmix_status_t on_notify(pmix_status_t, const pmix_proc_t*, pmix_data_range_t, pmix_info_t[], size_t, pmix_op_cbfunc_t,
                        void*) {
  return PMIX_OPERATION_SUCCEEDED;  // every process that could be told is local, and PMIx tells those itself
}

pmix_server_module_t callbacks() {
  pmix_server_module_t module{};
  module.client_connected2 = on_connected;
  module.client_finalized = on_finalized;
  module.abort = on_abort;
  module.fence_nb = on_fence;
  module.direct_modex = on_direct_modex;
  module.notify_event = on_notify;
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
  // PMIx's event library warns on stderr when a rank dies while an answer to it waits; mpiexec says itself who died.
  event_set_log_callback([](int, const char*) {});
  namespace_ = fmt::format("bowline-{}", getpid());
  static pmix_server_module_t module = callbacks();
  InfoList options;
  options.add(PMIX_SERVER_TMPDIR, scratch.string());
  options.add(PMIX_SYSTEM_TMPDIR, scratch.string());
  options.add(PMIX_SERVER_NSPACE, namespace_ + "-server");
  options.add_rank(PMIX_SERVER_RANK, 0);
  std::string source = "hwloc";
  pmix_topology_t known{.source = source.data(), .topology = topology.handle()};
  options.add(PMIX_TOPOLOGY2, &known, PMIX_TOPO);
  // The default data store costs every client tens of milliseconds, at Finalize up to two seconds.
  setenv("PMIX_MCA_gds", "hash", 0);
  pmix_data_array_t array = options.array();
  const pmix_status_t status = PMIx_server_init(&module, static_cast<pmix_info_t*>(array.array), array.size);
  PMIX_DATA_ARRAY_DESTRUCT(&array);
  check(status, "PMIx_server_init");
}

// Without PMIx_server_finalize(): it may deadlock or crash when a rank was killed in the middle of its PMIx_Init.
// PMIx's thread therefore still runs, and event_fd_ stays open for it.
PmixServer::~PmixServer() {
  server = nullptr;
}

void PmixServer::register_job(const JobLayout& layout) {
  const auto size = static_cast<uint32_t>(layout.app_of_rank.size());
  InfoList job;
  job.add(PMIX_JOBID, namespace_);
  job.add(PMIX_TMPDIR, scratch_);
  job.add(PMIX_NSDIR, scratch_);
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
  latch.started(PMIx_server_register_nspace(namespace_.c_str(), static_cast<int>(size),
                                            static_cast<pmix_info_t*>(array.array), array.size, Latch::done, &latch),
                "PMIx_server_register_nspace");
  pmix_proc_t process;
  for (uint32_t rank = 0; rank < size; ++rank) {
    PMIX_LOAD_PROCID(&process, namespace_.c_str(), rank);
    latch.started(PMIx_server_register_client(&process, getuid(), getgid(), nullptr, Latch::done, &latch),
                  "PMIx_server_register_client");
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
