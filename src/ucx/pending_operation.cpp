// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/pending_operation.hpp"

#include <new>
#include <utility>

namespace bowline::ucx {
namespace {

/// Messages that may wait in buffers until UCX takes them, per lane.
constexpr std::size_t send_buffers = 64;

}  // namespace

PendingOperation* PendingPool::take(UcxEndpoint& endpoint) noexcept {
  try {
    if (free_.empty()) {
      // All lists get room for the new operation now, so that later steps need no memory.
      free_.reserve(all_.size() + 1);
      free_bodies_.reserve(all_.size() + 1);
      ended_.reserve(all_.size() + 1);
      free_.push_back(&all_.emplace_back());
    }
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  PendingOperation* const pending = free_.back();
  free_.pop_back();
  pending->endpoint = &endpoint;
  ++under_way_;
  return pending;
}

PendingOperation* PendingPool::take_with_body(UcxEndpoint& endpoint, std::size_t bytes) noexcept {
  if (!free_bodies_.empty()) {
    PendingOperation* const pending = free_bodies_.back();
    free_bodies_.pop_back();
    pending->endpoint = &endpoint;
    ++under_way_;
    return pending;
  }
  if (bodies_ == send_buffers) return nullptr;
  PendingOperation* const pending = take(endpoint);
  if (pending == nullptr) return nullptr;
  pending->body.reset(new (std::nothrow) std::byte[bytes]);
  if (pending->body == nullptr) {
    give_back(*pending);
    return nullptr;
  }
  ++bodies_;
  return pending;
}

void PendingPool::give_back(PendingOperation& pending) noexcept {
  pending.operation = nullptr;
  pending.reply_to = nullptr;
  pending.status = UCS_OK;
  if (std::exchange(pending.accesses, false)) --accesses_;
  if (pending.key != nullptr) ucx_.rkey_destroy(std::exchange(pending.key, nullptr));
  (pending.body != nullptr ? free_bodies_ : free_).push_back(&pending);
  --under_way_;
}

PendingOperation& PendingPool::take_ended() noexcept {
  PendingOperation& pending = *ended_.back();
  ended_.pop_back();
  return pending;
}

}  // namespace bowline::ucx
