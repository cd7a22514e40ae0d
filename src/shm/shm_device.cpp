// SPDX-License-Identifier: BSD-3-Clause
#include "shm/shm_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "base/failure.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "shm/shm_endpoint.hpp"

namespace bowline::shm {
namespace {

// Records that one poll takes from one producer before it continues with the others.
constexpr unsigned records_per_poll = 16;
// Number of rings that are watched even if nothing arrives: no more than a poll reads in the time of a few messages.
constexpr std::size_t most_watched = 8;
// Polls in a row without a record after which a ring is no longer watched, if there are more rings than can be watched.
constexpr unsigned patience = 256;
// Polls between two looks into a silent ring.
constexpr unsigned polls_per_turn = 8;

std::size_t index_of(const std::vector<int>& processes, int process) {
  return static_cast<std::size_t>(std::ranges::lower_bound(processes, process) - processes.begin());
}

}  // namespace

ShmDevice::ShmDevice(Inbox& inbox, unsigned lane, std::size_t own_number, std::vector<int> producers)
    : inbox_(inbox),
      lane_(lane),
      producers_(std::move(producers)),
      own_number_(own_number),
      section_(inbox.open_section(lane)),
      borrowed_(producers_.size()),
      adopted_(producers_.size()),
      by_ring_(producers_.size()) {}

ShmDevice::ShmDevice(Inbox& inbox, unsigned lane, int rank, const std::vector<int>& local_ranks)
    : ShmDevice(inbox, lane, index_of(local_ranks, rank), local_ranks) {}

transport::Address ShmDevice::address() const {
  return inbox_.address();
}

std::unique_ptr<transport::Endpoint> ShmDevice::connect(int peer, const transport::Address& address) {
  InboxAddress theirs;
  if (address.size() != sizeof theirs) {
    throw Error(ErrorClass::intern, fmt::format("{} published a shared-memory address of {} bytes, expected {}: do "
                                                "all ranks run the same version of Bowline?",
                                                process_name(peer), address.size(), sizeof theirs));
  }
  std::memcpy(&theirs, address.data(), sizeof theirs);
  return std::make_unique<ShmEndpoint>(*this, theirs, lane_, own_number_, peer);
}

CopyBuffers* ShmDevice::copy_buffers() noexcept {
  if (!may_copy_) return nullptr;
  if (!copy_buffers_.is_open()) {
    try {
      copy_buffers_.open(inbox_.open_copy_buffers(lane_));
    } catch (const std::exception& error) {
      log::info("long messages to other ranks of this node go through no copy buffers: {}", error.what());
      may_copy_ = false;
      return nullptr;
    }
  }
  return &copy_buffers_;
}

BorrowedBuffers& ShmDevice::borrowed_from(int peer) noexcept {
  return borrowed_[index_of(producers_, peer)];
}

unsigned ShmDevice::poll(transport::Sink& sink) noexcept {
  if (header().connections.load(std::memory_order_acquire) != connections_seen_) [[unlikely]]
    note_other_version(sink);
  if (header().notifications.any(producers_.size())) [[unlikely]]
    take_notifications(sink);
  unsigned delivered = 0;
  for (std::size_t i = 0; i < active_.size();) {
    Inbound& inbound = *active_[i];
    unsigned taken = 0;
    if (inbound.ring.ready()) {
      taken = take(inbound, sink);
      delivered += taken;
    }
    if (!many_ || stays_active(inbound, taken)) [[likely]] {
      ++i;
    } else {
      active_[i] = active_.back();
      active_.pop_back();
    }
  }
  if (many_ && ++polls_ % polls_per_turn == 0) look_in_turn();
  return delivered;
}

/// Delivers waiting records, a bounded number; returns how many.
unsigned ShmDevice::take(Inbound& inbound, transport::Sink& sink) noexcept {
  const auto deliver = [&](transport::Header header, auto prefix, auto body) {
    sink.arrived(inbound.peer, header, prefix, body);
  };
  const auto deliver_lent = [&](transport::Header header, auto prefix, const LentBody& place) {
    const auto body = inbound.borrowed->find(place);
    if (!body) return false;
    sink.arrived(inbound.peer, header, prefix, *body);
    inbound.borrowed->give_back(place);
    return true;
  };
  unsigned delivered = 0;
  if (inbound.wrong) [[unlikely]]
    return 0;
  try {
    Taken taken = Taken::one;
    for (; delivered < records_per_poll; ++delivered) {
      taken = inbound.ring.pop(deliver, deliver_lent);
      if (taken != Taken::one) break;
    }
    if (taken == Taken::wrong) [[unlikely]]
      break_off(inbound, sink);
  } catch (const transport::NotYet&) {
    // The record is still the oldest one of its ring, which stays active because it is watched.
    watch(inbound, true);
  }
  return delivered;
}

void ShmDevice::take_notifications(transport::Sink& sink) noexcept {
  header().notifications.take(producers_.size(), [&](std::size_t number) {
    Inbound* const inbound = adopted_[number] ? by_ring_[number] : adopt(number, sink);
    if (inbound != nullptr) activate(*inbound);
  });
}

/// Maps the ring of a producer that has connected. On failure notifies the sink and returns nullptr.
ShmDevice::Inbound* ShmDevice::adopt(std::size_t number, transport::Sink& sink) noexcept {
  adopted_[number] = true;
  try {
    const RingConsumer ring(section_.data() + ring_offset(number, inbox_.lines()), inbox_.lines());
    active_.reserve(inbound_.size() + 1);
    by_ring_[number] = &inbound_.emplace_back(Inbound{ring, &borrowed_[number], producers_[number]});
    many_ = inbound_.size() > most_watched;
  } catch (...) {
    sink.broken(producers_[number], Failure::current());
  }
  return by_ring_[number];
}

/// Makes the next polls read this ring. Watches the ring, so that it stays active, only if few other rings are read.
void ShmDevice::activate(Inbound& inbound) noexcept {
  inbound.idle = 0;
  if (inbound.active) return;
  inbound.active = true;
  active_.push_back(&inbound);
  if (active_.size() <= most_watched) watch(inbound, true);
}

void ShmDevice::watch(Inbound& inbound, bool watching) noexcept {
  if (inbound.watched == watching) return;
  inbound.watched = watching;
  inbound.ring.watch(watching);
}

/// Whether polls continue to read a ring in which a poll has found `taken` records. A ring that always has more records
/// becomes watched; a ring in which nothing has arrived for long does not stay watched.
bool ShmDevice::stays_active(Inbound& inbound, unsigned taken) noexcept {
  if (taken == records_per_poll) watch(inbound, true);
  inbound.idle = taken == 0 ? inbound.idle + 1 : 0;
  if (taken != 0 || (inbound.watched && inbound.idle < patience && !inbound.wrong)) return true;
  watch(inbound, false);
  inbound.active = !inbound.wrong && inbound.ring.ready();  // the last look into the ring
  return inbound.active;
}

void ShmDevice::look_in_turn() noexcept {
  turn_ = turn_ + 1 < inbound_.size() ? turn_ + 1 : 0;
  Inbound& inbound = inbound_[turn_];
  if (!inbound.active && !inbound.wrong && inbound.ring.ready()) activate(inbound);
}

/// Reports a process of another version that has opened the inbox and refused it.
void ShmDevice::note_other_version(transport::Sink& sink) noexcept {
  connections_seen_ = header().connections.load(std::memory_order_acquire);
  const std::uint64_t refused_by = header().other_version.exchange(0, std::memory_order_relaxed);
  const std::uint64_t number = (refused_by & 0xffffffff) - 1;
  if (refused_by == 0 || number >= producers_.size()) return;
  const int peer = producers_[number];
  sink.broken(
      peer, Failure::of([&] { return transport::other_version(peer, static_cast<std::uint32_t>(refused_by >> 32)); }));
}

void ShmDevice::break_off(Inbound& inbound, transport::Sink& sink) noexcept {
  inbound.wrong = true;
  sink.broken(inbound.peer, Failure::of([&] {
                return Error(
                    ErrorClass::intern,
                    fmt::format("what stands in the ring of {} is no message ({:#x} in line {}): do all ranks run the "
                                "same version of Bowline, and does none write beyond the ends of its arrays?",
                                process_name(inbound.peer), inbound.ring.stamp(), inbound.ring.position()));
              }));
}

bool ShmDevice::ready() noexcept {
  if (header().connections.load(std::memory_order_acquire) != connections_seen_) return true;
  if (header().notifications.any(producers_.size())) return true;
  const auto found =
      std::ranges::find_if(inbound_, [](const Inbound& inbound) { return !inbound.wrong && inbound.ring.ready(); });
  if (found == inbound_.end()) return false;
  activate(*found);  // so that the next poll finds the record, too
  return true;
}

}  // namespace bowline::shm
