// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/receive_pool.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"

namespace bowline::verbs {
namespace {

constexpr unsigned buffers_at_once = 64;

}  // namespace

ReceivePool::ReceivePool(Adapter& adapter, std::size_t bytes, unsigned first, unsigned most)
    : adapter_(adapter), bytes_(bytes), most_(most) {
  ibv_srq_init_attr wanted{};
  wanted.attr.max_wr = most;
  wanted.attr.max_sge = 1;
  queue_.reset(library().create_srq(adapter.domain(), &wanted));
  if (queue_ == nullptr) throw verbs_error("making a shared receive queue", adapter.name());
  grow_to(first);
}

void ReceivePool::grow_to(unsigned count) {
  if (count > most_) {
    throw Error(ErrorClass::no_mem,
                fmt::format("{} buffers would be needed to receive from all peers, and the RDMA adapter {} takes {} at "
                            "a time: set BOWLINE_NETWORK=ucx",
                            count, adapter_.name(), most_));
  }
  while (buffers_ < count) {
    const unsigned more = std::min(buffers_at_once, most_ - buffers_);
    blocks_.reserve(blocks_.size() + 1);
    entries_.reserve(entries_.size() + more);
    blocks_.push_back(adapter_.make_block(more * bytes_));
    counted_.grow(more * bytes_);
    for (unsigned i = 0; i < more; ++i) {
      entries_.push_back({blocks_.back().memory() + i * bytes_, blocks_.back().local_key()});
      give_back(buffers_++);
    }
  }
  post_waiting();
}

void ReceivePool::post_waiting() noexcept {
  std::array<ibv_recv_wr, batch> requests;
  std::array<ibv_sge, batch> places;
  const unsigned count = waiting_count_;
  if (count == 0) return;
  for (unsigned i = 0; i < count; ++i) {
    const Entry& entry = entries_[waiting_[i]];
    places[i] = {reinterpret_cast<std::uintptr_t>(entry.memory), static_cast<std::uint32_t>(bytes_), entry.local_key};
    requests[i] = {.wr_id = std::uint64_t{waiting_[i]} << 1 | 1,
                   .next = i + 1 < count ? &requests[i + 1] : nullptr,
                   .sg_list = &places[i],
                   .num_sge = 1};
  }
  waiting_count_ = 0;
  ibv_recv_wr* bad = nullptr;
  const int failed = ibv_post_srq_recv(queue_.get(), requests.data(), &bad);
  if (failed == 0) [[likely]]
    return;
  // Only a broken adapter refuses buffers that fit into its queue. Refused buffers are offered again with the next
  // batch.
  log::error("the RDMA adapter {} takes no receive buffers: {}", adapter_.name(), std::strerror(failed));
  for (; bad != nullptr; bad = bad->next) waiting_[waiting_count_++] = static_cast<std::uint32_t>(bad->wr_id >> 1);
  if (waiting_count_ == batch) --waiting_count_;  // the buffer is lost, but not the process
}

}  // namespace bowline::verbs
