// SPDX-License-Identifier: BSD-3-Clause
#include "comm/survival/agreements.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/process_id.hpp"
#include "proto/engine.hpp"

namespace bowline::comm {
namespace {

/// How many freed communicators' latest results are kept for members that have not got them.
constexpr std::size_t most_freed = 1024;
/// How many messages about agreements that this process has not joined are kept, for each process.
constexpr int most_early = 8;

std::uint32_t key_of(std::uint32_t context) noexcept {
  return proto::with_purpose(context, proto::Purpose::point_to_point);
}

}  // namespace

Agreements::Agreements(proto::Engine& engine) : Service(engine, message_kinds()), deliveries_(*this, engine) {}

Agreements::Series& Agreements::series(std::uint32_t context) {
  return series_.try_emplace(key_of(context), Series{.context = key_of(context)}).first->second;
}

void Agreements::join(const Membership& comm, Vote own, Participant& participant) {
  Series& joined = series(comm.context);
  joined.members = comm.members;
  joined.rank = comm.rank;
  joined.joining.push_back({std::move(own), &participant});
  if (std::ranges::find(under_way_, &joined) == under_way_.end()) under_way_.push_back(&joined);
  settle();
}

/// Takes part in the next agreement, with the messages about it that have come early.
void Agreements::begin(Series& series, Joining joining) {
  const std::uint32_t number = ++series.number;
  series.participant = joining.participant;
  series.current = std::make_unique<UniformAgreement>(
      series.members.size(), series.rank,
      [this, &series, number](int to, Message message, const Vote& vote) { send(series, number, to, message, vote); });
  for (int rank = 0; engine_.liveness().any_failed() && rank < series.members.size(); ++rank) {
    if (engine_.liveness().has_failed(series.members.process(rank))) series.current->failed(rank);
  }
  series.current->join(std::move(joining.own));
  const std::vector<Early> early = std::exchange(series.early, {});
  for (const Early& each : early) handle(series, each);
}

/// A result makes known which members have failed.
void Agreements::end(Series& series) {
  series.latest = *series.current->result();
  series.latest_number = series.number;
  series.current.reset();
  for (const int rank : series.latest->failed) {
    if (rank != series.rank) engine_.liveness().declare_lost(series.members.process(rank));
  }
  const Vote result = *series.latest;
  series.participant->agreed(result);
}

/// Does what messages and losses have made possible. The calls below may cause further losses.
void Agreements::settle() {
  if (std::exchange(settling_, true)) return;
  for (bool changed = true; std::exchange(changed, false);) {
    for (const int process : std::exchange(lost_, {})) {
      changed = true;
      for (Series* const each : under_way_) {
        const int rank = each->current == nullptr ? Group::no_rank : each->members.rank_of(process);
        if (rank != Group::no_rank) each->current->failed(rank);
      }
    }
    for (std::size_t i = 0; i < under_way_.size(); ++i) {  // by index: a participant may join another agreement
      Series& each = *under_way_[i];
      if (each.current == nullptr && !each.joining.empty()) {
        Joining next = std::move(each.joining.front());
        each.joining.pop_front();
        begin(each, std::move(next));
        changed = true;
      }
      if (each.current != nullptr && each.current->result() != nullptr) {
        end(each);
        changed = true;
      }
    }
  }
  std::erase_if(under_way_, [](const Series* each) { return each->current == nullptr && each->joining.empty(); });
  settling_ = false;
}

void Agreements::handle(Series& series, Early message) {
  if (series.rank < 0 || message.number > series.number) {
    if (std::ssize(series.early) < most_early * engine_.peers().size())
      return series.early.push_back(std::move(message));
    return engine_.liveness().break_off(
        message.process, Error(ErrorClass::other, "it takes part in agreements that nobody else has begun"));
  }
  const int from = series.members.rank_of(message.process);
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < series.members.size(); };
  if (from == Group::no_rank || !std::ranges::all_of(message.vote.failed, is_rank)) {
    return engine_.liveness().break_off(
        message.process, Error(ErrorClass::other, "its vote does not fit the communicator to which it belongs"));
  }
  const auto is_news = [&](int rank) { return !engine_.liveness().has_failed(series.members.process(rank)); };
  if (std::ranges::any_of(message.vote.failed, is_news)) engine_.liveness().check_soon();
  if (series.current != nullptr && message.number == series.number) {
    series.current->arrived(from, message.message, message.vote);
  } else if (series.latest && message.number == series.latest_number && message.message != Message::result) {
    send(series, message.number, from, Message::result, *series.latest);
  }
}

// ---- losses

std::vector<int> Agreements::awaited(std::uint32_t context) const {
  const auto found = series_.find(key_of(context));
  if (found == series_.end() || found->second.current == nullptr) return {};
  std::vector<int> awaited = found->second.current->awaited();
  for (int& each : awaited) each = found->second.members.process(each);
  return awaited;
}

bool Agreements::awaits(const proto::Peer& peer) const noexcept {
  return std::ranges::any_of(under_way_, [&](const Series* each) {
    const std::vector<int> processes = awaited(each->context);
    return std::ranges::find(processes, peer.rank) != processes.end();
  });
}

void Agreements::for_each_waiting(const std::function<void(const proto::Match&, int process)>& action) {
  for (const Series* const each : under_way_) {
    for (const int process : awaited(each->context))
      action({each->context, proto::any_source, proto::any_tag}, process);
  }
}

void Agreements::unheard(const proto::Peer& peer, const Failure&) noexcept {
  lost_.push_back(peer.rank);
  settle();
}

void Agreements::forget(std::uint32_t context) noexcept {
  const auto found = series_.find(context);
  if (found == series_.end()) return;
  freed_.push_back(context);
  if (freed_.size() <= most_freed) return;
  if (const auto oldest = series_.find(freed_.front()); oldest != series_.end()) {
    std::erase(under_way_, &oldest->second);
    series_.erase(oldest);
  }
  freed_.pop_front();
}

}  // namespace bowline::comm
