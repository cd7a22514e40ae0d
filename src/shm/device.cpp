// SPDX-License-Identifier: BSD-3-Clause
#include "shm/device.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <random>
#include <utility>

#include "base/error.hpp"
#include "base/tunable.hpp"
#include "node/host.hpp"
#include "shm/doorbell.hpp"
#include "shm/endpoint.hpp"

namespace bowline::shm {
namespace {

Tunable<std::size_t> ring_size{"shm_ring_size", 128 << 10, 8 << 10, 64 << 20,
                               "bytes of the ring between two local ranks; rounded up to a power of two"};

// How much one poll takes from one producer before it looks at the others.
constexpr int records_per_poll = 16;

std::uint64_t make_nonce() {
  std::random_device source;
  return (static_cast<std::uint64_t>(source()) << 32) | source();
}

std::size_t index_of(const std::vector<int>& ranks, int rank) {
  return static_cast<std::size_t>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
}

}  // namespace

ShmDevice::ShmDevice(int rank, std::vector<int> local_ranks)
    : local_ranks_(std::move(local_ranks)),
      my_local_rank_(index_of(local_ranks_, rank)),
      lines_(std::bit_ceil(ring_size.value()) / line_bytes),
      segment_(node::Segment::create("bowline-inbox", ring_offset(local_ranks_.size(), lines_))),
      adopted_(local_ranks_.size()) {
  if (local_ranks_.size() > InboxHeader::max_local_ranks) {
    throw Error(ErrorClass::other, fmt::format("{} ranks run on {}, but shared memory serves at most {} per node",
                                               local_ranks_.size(), node::host_name(), InboxHeader::max_local_ranks));
  }
  segment_.reserve(0, page_bytes);
  header_ = segment_.map(0, page_bytes);
  auto* const header = new (header_.data()) InboxHeader{};
  header->nonce = make_nonce();
  header->ring_lines = static_cast<std::uint32_t>(lines_);
  doorbell_register();
}

transport::Address ShmDevice::address() const {
  const InboxAddress mine{.process = getpid(), .descriptor = segment_.descriptor(), .nonce = inbox().nonce};
  transport::Address bytes(sizeof mine);
  std::memcpy(bytes.data(), &mine, sizeof mine);
  return bytes;
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
  return std::make_unique<ShmEndpoint>(theirs, my_local_rank_, peer);
}

unsigned ShmDevice::poll(transport::Sink& sink) {
  if (inbox().connections.load(std::memory_order_acquire) != connections_seen_) [[unlikely]]
    adopt_new_producers();
  unsigned delivered = 0;
  for (Inbound& inbound : inbound_) {
    const auto deliver = [&](const transport::Header& header, auto prefix, auto body) {
      sink.arrived(inbound.peer, header, prefix, body);
    };
    for (int budget = records_per_poll; budget > 0 && inbound.ring.pop(deliver); --budget) ++delivered;
  }
  return delivered;
}

void ShmDevice::adopt_new_producers() {
  connections_seen_ = inbox().connections.load(std::memory_order_acquire);
  for (std::size_t local = 0; local < local_ranks_.size(); ++local) {
    const std::uint64_t bits = inbox().connected[local / 64].load(std::memory_order_acquire);
    if (adopted_[local] || ((bits >> (local % 64)) & 1) == 0) continue;
    node::Mapping memory = segment_.map(ring_offset(local, lines_), ring_stride(lines_));
    RingConsumer ring(memory.data(), lines_);
    inbound_.push_back({ring, local_ranks_[local], std::move(memory)});
    adopted_[local] = true;
  }
}

bool ShmDevice::anything_ready() noexcept {
  if (inbox().connections.load(std::memory_order_acquire) != connections_seen_) return true;
  return std::ranges::any_of(inbound_, [](const Inbound& inbound) { return inbound.ring.ready(); });
}

void ShmDevice::sleep(int milliseconds) {
  announce_sleep(inbox().asleep);
  if (anything_ready()) {
    stay_awake(inbox().asleep);
  } else {
    sleep_on(inbox().asleep, milliseconds);
  }
}

}  // namespace bowline::shm
