// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/memory_transfer.hpp"

#include <algorithm>
#include <cstring>

#include "verbs/verbs_device.hpp"

namespace bowline::verbs {
namespace {

/// A fragment is long enough that an adapter is busy with few of them, and short enough that other traffic comes
/// between.
constexpr std::size_t fragment = 512 << 10;

}  // namespace

Waiting::Advance MemoryTransfer::advance() noexcept {
  while (!posted_) {
    if (!connection_.outbox().has_room()) return Advance::blocked;
    if (!queue_fragment()) return Advance::starved;
    posted_ = local_.empty();
  }
  return Advance::whole;
}

/// Queues the next fragment; false if there is no request or slot for it.
bool MemoryTransfer::queue_fragment() noexcept {
  WorkPool& works = device_.works();
  SendWork* const work = works.take(connection_);
  if (work == nullptr) return false;
  const std::size_t bytes = std::min(local_.size(), region_ != nullptr ? fragment : works.slot_bytes());
  if (kind_ == Purpose::flush ? !connection_.outbox().make_proof(*work) : !fill(*work, bytes)) {
    works.give_back(*work);
    return false;
  }
  work->operation = this;
  ++under_way_;
  local_ = local_.subspan(bytes);
  remote_.address += bytes;
  connection_.outbox().queue(*work);
  return true;
}

/// Prepares `work` as the access to the next `bytes` bytes; false if there is no slot for them.
bool MemoryTransfer::fill(SendWork& work, std::size_t bytes) noexcept {
  work.request.opcode = kind_ == Purpose::get ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
  work.request.wr.rdma = {remote_.address, remote_.key};
  if (region_ != nullptr) {
    work.run = {reinterpret_cast<std::uintptr_t>(local_.data()), static_cast<std::uint32_t>(bytes),
                Adapter::local_key(*region_)};
    return true;
  }
  std::byte* const data =
      kind_ == Purpose::get ? device_.works().make_slot(work, bytes) : device_.works().make_data(work, bytes);
  if (data == nullptr) return false;
  if (kind_ == Purpose::get) {
    work.copy_to = local_.data();
  } else {
    std::memcpy(data, local_.data(), bytes);
  }
  return true;
}

void MemoryTransfer::ended(const Error* failure) noexcept {
  --under_way_;
  if (failure != nullptr && failure_ == nullptr) failure_ = *failure;
  if (under_way_ == 0 && posted_) finish();
}

void MemoryTransfer::fail(const Error& why) noexcept {
  posted_ = true;
  if (failure_ == nullptr) failure_ = why;
  if (under_way_ == 0) finish();
}

void MemoryTransfer::finish() noexcept {
  if (region_ != nullptr) device_.adapter().release(*region_);
  transport::Operation& operation = operation_;
  const Failure failure = failure_;
  --device_.notes().accesses;
  device_.transfers().destroy(this);
  operation.ended(failure.get());
}

}  // namespace bowline::verbs
