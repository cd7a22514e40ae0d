// SPDX-License-Identifier: BSD-3-Clause
#include "api/processes/parting.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

#include "api/entry/this_process.hpp"
#include "api/processes/at_root.hpp"
#include "comm/communicators.hpp"
#include "comm/group.hpp"
#include "runtime/jobs/jobs.hpp"

namespace bowline::api {
namespace {

using Ids = std::vector<std::uint32_t>;

comm::Group everyone_in(const comm::Communicator& comm) {
  return comm.inter() ? comm::Group::unite(comm.group(), comm.bridge()->remote) : comm.group();
}

Bytes bytes_of_ids(const Ids& ids) {
  const auto bytes = std::as_bytes(std::span(ids));
  return {bytes.begin(), bytes.end()};
}

bool names(const Bytes& bytes, std::uint32_t id) {
  for (std::size_t at = 0; at + sizeof id <= bytes.size(); at += sizeof id) {
    if (std::memcmp(bytes.data() + at, &id, sizeof id) == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<std::uint32_t> connections_that_end_with(comm::Communicator& comm) {
  const comm::Group everyone = everyone_in(comm);
  if (comm::are_of_this_job(everyone, this_process().processes())) return {};
  const runtime::Jobs& jobs = this_process().jobs();
  const Ids candidates = jobs.within(everyone);
  Ids kept, ending;
  for (const std::uint32_t id : candidates) {
    const std::vector<int> needed = jobs.connected_only_by(id, ending);
    (this_process().communicators().is_in_another(needed, comm) ? kept : ending).push_back(id);
  }
  for (const Bytes& each : gather_bytes(comm, bytes_of_ids(kept)))
    std::erase_if(ending, [&](std::uint32_t id) { return names(each, id); });
  return ending;
}

}  // namespace bowline::api
