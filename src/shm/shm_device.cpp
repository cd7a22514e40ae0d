// SPDX-License-Identifier: BSD-3-Clause
#include "shm/shm_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/failure.hpp"
#include "shm/shm_endpoint.hpp"

namespace bowline::shm {
namespace {

// How much one poll takes from one producer before it looks at the others.
constexpr int records_per_poll = 16;

std::size_t index_of(const std::vector<int>& ranks, int rank) {
  return static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
}

}  // namespace

ShmDevice::ShmDevice(Inbox& inbox, unsigned lane, int rank, std::vector<int> local_ranks)
    : inbox_(inbox),
      lane_(lane),
      local_ranks_(std::move(local_ranks)),
      my_local_rank_(index_of(local_ranks_, rank)),
      header_(inbox.open_section(lane)),
      adopted_(local_ranks_.size()) {}

transport::Address ShmDevice::address() const {
  return inbox_.address();
}

std::unique_ptr<transport::Endpoint> ShmDevice::connect(int peer, const transport::Address& address) {
  InboxAddress theirs;
  if (address.size() != sizeof theirs) {
    throw Error(ErrorClass::intern,
                fmt::format("rank {} published a shared-memory address of {} bytes, expected {}: do "
                            "all ranks run the same version of Bowline?",
                            peer, address.size(), sizeof theirs));
  }
  std::memcpy(&theirs, address.data(), sizeof theirs);
  return std::make_unique<ShmEndpoint>(theirs, lane_, my_local_rank_, peer);
}

unsigned ShmDevice::poll(transport::Sink& sink) noexcept {
  if (header().connections.load(std::memory_order_acquire) != connections_seen_) [[unlikely]]
    adopt_new_producers(sink);
  unsigned delivered = 0;
  for (Inbound& inbound : inbound_) {
    const auto deliver = [&](transport::Header header, auto prefix, auto body) {
      sink.arrived(inbound.peer, header, prefix, body);
    };
    if (inbound.wrong) [[unlikely]]
      continue;
    try {
      Taken taken = Taken::one;
      for (int budget = records_per_poll; budget > 0; --budget, ++delivered) {
        taken = inbound.ring.pop(deliver);
        if (taken != Taken::one) break;
      }
      if (taken == Taken::wrong) [[unlikely]]
        break_off(inbound, sink);
    } catch (const transport::NotYet&) {
      // The record is still the oldest one of its ring.
    }
  }
  return delivered;
}

void ShmDevice::adopt_new_producers(transport::Sink& sink) noexcept {
  connections_seen_ = header().connections.load(std::memory_order_acquire);
  note_stranger(sink);
  for (std::size_t local = 0; local < local_ranks_.size(); ++local) {
    const std::uint64_t bits = header().connected[local / 64].load(std::memory_order_acquire);
    if (adopted_[local] || ((bits >> (local % 64)) & 1) == 0) continue;
    adopted_[local] = true;
    try {
      node::Mapping memory = inbox_.map_ring(lane_, local);
      RingConsumer ring(memory.data(), inbox_.lines());
      inbound_.push_back({ring, local_ranks_[local], std::move(memory)});
    } catch (...) {
      sink.broken(local_ranks_[local], Failure::current());
    }
  }
}

/// A rank of another version has looked at the inbox and gone away.
void ShmDevice::note_stranger(transport::Sink& sink) noexcept {
  const std::uint64_t stranger = header().stranger.exchange(0, std::memory_order_relaxed);
  const std::uint64_t local_rank = (stranger & 0xffffffff) - 1;
  if (stranger == 0 || local_rank >= local_ranks_.size()) return;
  const int rank = local_ranks_[local_rank];
  sink.broken(rank,
              Failure::of([&] { return transport::other_version(rank, static_cast<std::uint32_t>(stranger >> 32)); }));
}

void ShmDevice::break_off(Inbound& inbound, transport::Sink& sink) noexcept {
  inbound.wrong = true;
  sink.broken(
      inbound.peer, Failure::of([&] {
        return Error(
            ErrorClass::intern,
            fmt::format("what stands in the ring of rank {} is no message ({:#x} in line {}): do all ranks run the "
                        "same version of Bowline, and does none write beyond the ends of its arrays?",
                        inbound.peer, inbound.ring.stamp(), inbound.ring.position()));
      }));
}

bool ShmDevice::ready() noexcept {
  if (header().connections.load(std::memory_order_acquire) != connections_seen_) return true;
  return std::ranges::any_of(inbound_, [](const Inbound& inbound) { return !inbound.wrong && inbound.ring.ready(); });
}

}  // namespace bowline::shm
