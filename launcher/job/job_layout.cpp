// SPDX-License-Identifier: BSD-3-Clause
// See job_layout.hpp.
#include "launcher/job/job_layout.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "launcher/job/pmix_calls.hpp"
#include "wireup/pmix_structures.hpp"

namespace bowline::launcher {
namespace {

std::string node_map(const std::string& host) {
  char* text = nullptr;
  check_pmix(pmix_server().generate_regex(host.c_str(), &text), "PMIx_generate_regex");
  std::string result = text;
  free(text);
  return result;
}

std::string process_map(size_t ranks) {
  std::string list;
  for (size_t rank = 0; rank < ranks; ++rank) list += fmt::format("{}{}", rank == 0 ? "" : ",", rank);
  char* text = nullptr;
  check_pmix(pmix_server().generate_ppn(list.c_str(), &text), "PMIx_generate_ppn");
  std::string result = text;
  free(text);
  return result;
}

void describe_rank(PmixInfoList& job, const JobLayout& layout, int rank, int app_rank) {
  const int app = layout.app_of_rank[static_cast<size_t>(rank)];
  PmixInfoList info;
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

void describe(PmixInfoList& job, const std::string& name, const JobLayout& layout, const std::string& scratch) {
  const auto size = static_cast<uint32_t>(layout.app_of_rank.size());
  job.add(PMIX_JOBID, name);
  // PMIx keeps the size of the universe once per session, so each job is a session: else the last job would set it.
  job.add(PMIX_SESSION_ID, static_cast<uint32_t>(layout.number));
  if (!scratch.empty()) {
    job.add(PMIX_TMPDIR, scratch);
    job.add(PMIX_NSDIR, scratch);
  }
  job.add(PMIX_NODE_MAP, node_map(layout.host));
  job.add(PMIX_PROC_MAP, process_map(size));
  for (const char* key : {PMIX_JOB_SIZE, PMIX_LOCAL_SIZE, PMIX_NODE_SIZE, PMIX_MAX_PROCS}) {
    job.add(key, size);
  }
  job.add(PMIX_UNIV_SIZE, static_cast<uint32_t>(layout.universe));
  if (layout.parent) {
    const auto parent = wireup::pmix_process(layout.parent->job, static_cast<pmix_rank_t>(layout.parent->rank));
    job.add(PMIX_PARENT_ID, &parent, PMIX_PROC);
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
}

}  // namespace bowline::launcher
