// SPDX-License-Identifier: BSD-3-Clause
// A PMIx server whose namespaces have local ranks only. The PMIx library serves fences, gets and puts by itself;
// the callbacks here receive the connection, finalization and abort of a rank, and its requests.
#include "launcher/job/pmix_server.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/existing_directory.hpp"
#include "base/mpiexec_server.hpp"
#include "base/random_source.hpp"
#include "launcher/job/pmix_calls.hpp"
#include "launcher/job/pmix_losses.hpp"
#include "launcher/spawn/pmix_requests.hpp"
#include "launcher/usage_error.hpp"
#include "wireup/pmix_home.hpp"
#include "wireup/pmix_structures.hpp"

namespace bowline::launcher {
namespace {

std::atomic<PmixServer*> server = nullptr;  // PMIx's callbacks have no argument for the server

/// Posts the event or the request that `make` returns. Called on PMIx's thread, whose frames no exception may pass. If
/// there is no memory for it, the rank that has caused it gets an error.
template <class Make>
pmix_status_t post(pmix_status_t success, const Make& make) noexcept {
  try {
    if (PmixServer* const receiver = server) receiver->post(make());
    return success;
  } catch (const std::exception&) {
    return PMIX_ERR_NOMEM;
  }
}

template <class T>
std::span<const T> span_of(const T* first, size_t count) {
  return {first, first == nullptr ? 0 : count};
}

RankId id_of(const pmix_proc_t& process) {
  return {.job = process.nspace, .rank = static_cast<int>(process.rank)};
}

pmix_status_t on_connected(const pmix_proc_t* process, void*, pmix_info_t[], size_t, pmix_op_cbfunc_t, void*) {
  return post(PMIX_OPERATION_SUCCEEDED,
              [&] { return PmixEvent{.kind = PmixEvent::Kind::connected, .of = id_of(*process)}; });
}

pmix_status_t on_finalized(const pmix_proc_t* process, void*, pmix_op_cbfunc_t, void*) {
  return post(PMIX_OPERATION_SUCCEEDED,
              [&] { return PmixEvent{.kind = PmixEvent::Kind::finalized, .of = id_of(*process)}; });
}

/// The abort is never confirmed: the caller only waits to be ended, and PMIx would write the confirmation to a process
/// that may be gone by then.
pmix_status_t on_abort(const pmix_proc_t* process, void*, int status, const char text[], pmix_proc_t whom[],
                       size_t count, pmix_op_cbfunc_t, void*) {
  return post(PMIX_SUCCESS, [&] {
    std::vector<RankId> ranks;
    for (const pmix_proc_t& each : std::span(whom, whom == nullptr ? 0 : count)) ranks.push_back(id_of(each));
    return PmixEvent{.kind = PmixEvent::Kind::aborted,
                     .of = id_of(*process),
                     .code = status,
                     .text = text == nullptr ? "" : text,
                     .whom = std::move(ranks)};
  });
}

/// Admits no tools: a tool names no rank, and its user id is its own claim. Without this function PMIx admits all
/// tools, and a refusal ends PMIx 4.2.2 by a segmentation fault. So this function does not respond.
void on_tool(pmix_info_t[], size_t, pmix_tool_connection_cbfunc_t, void*) {}

/// Called when every rank has arrived. There are no data to fetch from another node.
pmix_status_t on_fence(const pmix_proc_t processes[], size_t count, const pmix_info_t[], size_t, char* data,
                       size_t size, pmix_modex_cbfunc_t done, void* context) {
  done(status_of_collective(processes, count), data, size, context, nullptr, nullptr);
  return PMIX_SUCCESS;
}

/// PMIx calls this for a rank that is not local; there is no such rank.
pmix_status_t on_direct_modex(const pmix_proc_t*, const pmix_info_t[], size_t, pmix_modex_cbfunc_t, void*) {
  return PMIX_ERR_NOT_FOUND;
}

/// Called when every process has arrived. All of them are local, so there is nothing to do for the host.
pmix_status_t on_connect(const pmix_proc_t processes[], size_t count, const pmix_info_t[], size_t,
                         pmix_op_cbfunc_t done, void* context) {
  done(status_of_collective(processes, count), context);
  return PMIX_SUCCESS;
}

// What ranks ask for is answered by the event loop.

pmix_status_t on_spawn(const pmix_proc_t* process, const pmix_info_t info[], size_t infos, const pmix_app_t apps[],
                       size_t count, pmix_spawn_cbfunc_t done, void* context) {
  return post(PMIX_SUCCESS, [&] {
    return spawn_request(id_of(*process), span_of(info, infos), span_of(apps, count), done, context);
  });
}

pmix_status_t on_publish(const pmix_proc_t* process, const pmix_info_t info[], size_t infos, pmix_op_cbfunc_t done,
                         void* context) {
  return post(PMIX_SUCCESS, [&] { return publish_request(id_of(*process), span_of(info, infos), done, context); });
}

pmix_status_t on_lookup(const pmix_proc_t* process, char** keys, const pmix_info_t info[], size_t infos,
                        pmix_lookup_cbfunc_t done, void* context) {
  return post(PMIX_SUCCESS, [&] { return lookup_request(id_of(*process), keys, span_of(info, infos), done, context); });
}

pmix_status_t on_unpublish(const pmix_proc_t* process, char** keys, const pmix_info_t[], size_t, pmix_op_cbfunc_t done,
                           void* context) {
  return post(PMIX_SUCCESS, [&] { return unpublish_request(id_of(*process), keys, done, context); });
}

pmix_status_t on_notify(pmix_status_t, const pmix_proc_t*, pmix_data_range_t, pmix_info_t[], size_t, pmix_op_cbfunc_t,
                        void*) {
  return PMIX_OPERATION_SUCCEEDED;  // every process is local, and PMIx notifies local processes itself
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
  module.spawn = on_spawn;
  module.publish = on_publish;
  module.lookup = on_lookup;
  module.unpublish = on_unpublish;
  module.connect = on_connect;
  module.disconnect = on_connect;
  return module;
}

}  // namespace

std::string new_namespace_name() {
  const RandomSource random;
  return fmt::format("bowline-{}-{:08x}{:08x}{:08x}{:08x}", getpid(), random(), random(), random(), random());
}

PmixServer::PmixServer(const std::filesystem::path& scratch, const Topology& topology, bool keep_going)
    : event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), scratch_(scratch.string()) {
  server = this;
  // PMIx's event library warns on stderr when a rank dies before it has read a response; mpiexec itself reports dead
  // ranks.
  if (pmix_server().set_event_log != nullptr) pmix_server().set_event_log([](int, const char*) {});
  static pmix_server_module_t module = callbacks();
  PmixInfoList options;
  if (!scratch_.empty()) {
    options.add(PMIX_SERVER_TMPDIR, scratch_);
    options.add(PMIX_SYSTEM_TMPDIR, scratch_);
  }
  options.add(PMIX_SERVER_NSPACE, fmt::format("{}{}-server", mpiexec_server_prefix,
                                              getpid()));  // PMIx gives the server's name to any client
  options.add_rank(PMIX_SERVER_RANK, 0);
  std::string source = "hwloc";
  pmix_topology_t known{.source = source.data(), .topology = topology.handle()};
  options.add(PMIX_TOPOLOGY2, &known, PMIX_TOPO);
  // The default data store costs every client tens of milliseconds, at Finalize up to two seconds.
  setenv("PMIX_MCA_gds", "hash", 0);
  pmix_data_array_t array = options.array();
  const InExistingDirectory quiet;
  const wireup::PmixHome home;
  std::optional<PmixExpectsLosses> expects_losses;
  if (keep_going) expects_losses.emplace();
  const pmix_status_t status = pmix_server().init(&module, static_cast<pmix_info_t*>(array.array), array.size);
  pmix_server().data_array_destruct(&array);
  check_pmix(status, "PMIx_server_init");
  if (keep_going) watch_lost_connections();
}

// Does not call PMIx_server_finalize(), which may deadlock or crash when a rank was killed in the middle of its
// PMIx_Init. PMIx's thread therefore still runs, and event_fd_ stays open for it.
PmixServer::~PmixServer() {
  server = nullptr;
}

void PmixServer::register_job(const std::string& name, const JobLayout& layout) {
  PmixInfoList job;
  describe(job, name, layout, scratch_);
  const auto size = static_cast<pmix_rank_t>(layout.app_of_rank.size());
  PmixLatch latch;
  pmix_data_array_t array = job.array();
  latch.start("PMIx_server_register_nspace", [&](pmix_op_cbfunc_t done, void* context) {
    return pmix_server().register_nspace(name.c_str(), static_cast<int>(size), static_cast<pmix_info_t*>(array.array),
                                         array.size, done, context);
  });
  for (pmix_rank_t rank = 0; rank < size; ++rank) {
    const pmix_proc_t process = wireup::pmix_process(name, rank);
    latch.start("PMIx_server_register_client", [&](pmix_op_cbfunc_t done, void* context) {
      return pmix_server().register_client(&process, getuid(), getgid(), nullptr, done, context);
    });
  }
  latch.wait("registration of the job with PMIx");
  pmix_server().data_array_destruct(&array);
}

void PmixServer::deregister_job(const std::string& name) {
  PmixLatch latch;
  latch.start("PMIx_server_deregister_nspace", [&](pmix_op_cbfunc_t done, void* context) {
    pmix_server().deregister_nspace(name.c_str(), done, context);
    return PMIX_SUCCESS;
  });
  latch.wait("deregistration of the job with PMIx");
  forget_losses_of(name);
}

std::vector<std::string> PmixServer::environment(const std::string& name, int rank) const {
  const pmix_proc_t process = wireup::pmix_process(name, static_cast<pmix_rank_t>(rank));
  char** list = nullptr;
  check_pmix(pmix_server().setup_fork(&process, &list), "PMIx_server_setup_fork");
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

std::vector<RankRequest> PmixServer::take_requests() {
  const std::lock_guard lock(mutex_);
  return std::exchange(requests_, {});
}

void PmixServer::post(PmixEvent event) {
  {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
  }
  wake();
}

void PmixServer::post(RankRequest request) {
  {
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
  }
  wake();
}

void PmixServer::wake() const {
  const uint64_t one = 1;
  (void)!write(event_fd_, &one, sizeof one);
}

}  // namespace bowline::launcher
