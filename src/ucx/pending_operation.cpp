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
  PendingOperation* const begun = free_.back();
  free_.pop_back();
  begun->endpoint = &endpoint;
  ++under_way_;
  return begun;
}

PendingOperation* PendingPool::take_with_body(UcxEndpoint& endpoint, std::size_t bytes) noexcept {
  if (!free_bodies_.empty()) {
    PendingOperation* const begun = free_bodies_.back();
    free_bodies_.pop_back();
    begun->endpoint = &endpoint;
    ++under_way_;
    return begun;
  }
  if (bodies_ == send_buffers) return nullptr;
  PendingOperation* const begun = take(endpoint);
  if (begun == nullptr) return nullptr;
  begun->body.reset(new (std::nothrow) std::byte[bytes]);
  if (begun->body == nullptr) {
    give_back(*begun);
    return nullptr;
  }
  ++bodies_;
  return begun;
}

void PendingPool::give_back(PendingOperation& begun) noexcept {
  begun.operation = nullptr;
  begun.status = UCS_OK;
  if (begun.key != nullptr) ucx_.rkey_destroy(std::exchange(begun.key, nullptr));
  (begun.body != nullptr ? free_bodies_ : free_).push_back(&begun);
  --under_way_;
}

PendingOperation& PendingPool::take_ended() noexcept {
  PendingOperation& begun = *ended_.back();
  ended_.pop_back();
  return begun;
}

}  // namespace bowline::ucx
