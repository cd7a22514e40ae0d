// SPDX-License-Identifier: BSD-3-Clause
// CheckedCall: memory to which operations write that have not been completed (BOWLINE_CHECK=buffers).
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/checking/checked_call.hpp"
#include "api/checking/stand_ins.hpp"
#include "api/entry/communicator_handles.hpp"
#include "api/entry/datatype_handles.hpp"
#include "api/entry/request_handles.hpp"
#include "base/log.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "runtime/settings.hpp"

namespace bowline::api {
namespace {

using checking::Completion;
using checking::StandIns;

/// The datatype, if data of it without holes can be looked at.
const dtype::Datatype* plain_type(const void* buffer, MPI_Datatype datatype) noexcept {
  if (!runtime::checks().buffers || handle_value(buffer) < first_object) return nullptr;  // a special address
  const dtype::Datatype* const type = find_datatype(datatype);
  return type != nullptr && type->contiguous() && type->size() > 0 ? type : nullptr;
}

}  // namespace

bool CheckedCall::is_root(MPI_Comm comm, int root) {
  const comm::Communicator* const members = find_comm(comm);
  return members != nullptr && !members->inter() && members->rank() == root;
}

MPI_Count CheckedCall::of_all(MPI_Comm comm, MPI_Count count) {
  const comm::Communicator* const members = find_comm(comm);
  return members == nullptr || members->inter() ? 0 : count * members->size();
}

MPI_Count CheckedCall::of_one(MPI_Comm comm, MPI_Count count) {
  const comm::Communicator* const members = find_comm(comm);
  return members == nullptr || members->inter() ? 0 : count;
}

void* CheckedCall::into(void* buffer, MPI_Count count, MPI_Datatype datatype) {
  const dtype::Datatype* const type = plain_type(buffer, datatype);
  if (type == nullptr || count <= 0) return buffer;
  const auto bytes = static_cast<std::size_t>(count) * type->size();
  return into_blocks(buffer, {{static_cast<std::byte*>(buffer) + type->origin(), bytes}});
}

void* CheckedCall::into(MPI_Comm comm, void* buffer, CountArray counts, CountArray displacements,
                        MPI_Datatype datatype) {
  const dtype::Datatype* const type = plain_type(buffer, datatype);
  const comm::Communicator* const members = find_comm(comm);
  if (type == nullptr || members == nullptr || members->inter() || counts.is_null() || displacements.is_null())
    return buffer;
  std::vector<std::span<std::byte>> blocks;
  for (std::size_t i = 0; i < static_cast<std::size_t>(members->size()); ++i) {
    std::byte* const begin = static_cast<std::byte*>(buffer) + displacements[i] * type->extent() + type->origin();
    if (counts[i] > 0) blocks.emplace_back(begin, static_cast<std::size_t>(counts[i]) * type->size());
  }
  return into_blocks(buffer, std::move(blocks));
}

/// A buffer of several operations has no stand-in: which operation would get which data? Such programs are told
/// otherwise.
void* CheckedCall::into_blocks(void* buffer, std::vector<std::span<std::byte>> blocks) {
  if (blocks.empty()) return buffer;
  const auto begin_of = [](const auto block) { return block.data(); };
  const auto end_of = [](const auto block) { return block.data() + block.size(); };
  const std::byte* const begin = begin_of(*std::ranges::min_element(blocks, {}, begin_of));
  const std::byte* const end = end_of(*std::ranges::max_element(blocks, {}, end_of));
  const std::span<const std::byte> all(begin, end);
  if (all.size() > checking::StandIn::most_bytes || StandIns::of_this_process().has(all) ||
      is_in_use({all, checking::Access::writes}))
    return buffer;
  stand_in_.emplace(std::move(blocks));
  return stand_in_->address(buffer);
}

void CheckedCall::keeps_stand_in(MPI_Request request) {
  if (!stand_in_) return;
  StandIns::of_this_process().add({.handle = request}, std::move(*stand_in_), site());
}

void CheckedCall::keeps_stand_in(MPI_Win window, int target) {
  if (!stand_in_) return;
  StandIns::of_this_process().add({.handle = window, .rank = target}, std::move(*stand_in_), site());
}

void CheckedCall::end_stand_ins(const Completion& what) {
  if (!runtime::checks().buffers) return;
  for (const MpiCall& begun : StandIns::of_this_process().completed(what))
    log::warning("{}", checking::changed_in_words(begun, site()));
}

/// A request that has a stand-in is valid.
void CheckedCall::may_look(const MPI_Request* requests, MPI_Count count) {
  if (!runtime::checks().buffers) return;
  for (MPI_Count i = 0; i < count; ++i) {
    if (StandIns::of_this_process().is_known(requests[i]) && checked_request(requests[i]).done)
      end_stand_ins({.handle = requests[i]});
  }
}

void CheckedCall::frees(MPI_Request* request) {
  if (!runtime::checks().buffers || request == nullptr) return;
  may_look(request);
  StandIns::of_this_process().leave(*request);
}

}  // namespace bowline::api
