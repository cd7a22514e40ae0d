// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/rendezvous/exchange.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "base/random_source.hpp"

namespace bowline::wireup {
namespace {

MessageWriter answer(RendezvousAnswer kind) {
  MessageWriter made;
  made.add(kind);
  return made;
}

MessageWriter answer(RendezvousAnswer kind, std::string_view text) {
  MessageWriter made;
  made.add(kind).add(text);
  return made;
}

std::string new_job() {
  const RandomSource random;
  return fmt::format("rendezvous-{:08x}{:08x}", random(), random());
}

}  // namespace

Exchange::Exchange(const RendezvousLine& line, std::string version, Send send)
    : roll_(line, version), line_(line), version_(std::move(version)), send_(std::move(send)) {}

bool Exchange::greet(int guest, std::vector<std::byte> hello) {
  MessageReader message(std::move(hello));
  if (message.take<RendezvousCall>() != RendezvousCall::hello) return false;
  const Arrival arrival = Arrival::read(message, version_);
  const bool late = started_ && arrival.version == version_ && roll_.knows_secret(arrival);
  const std::string objection = late ? std::string() : roll_.objection_to(arrival);
  if (late || !objection.empty()) {
    send_(guest, late ? answer(RendezvousAnswer::full) : answer(RendezvousAnswer::refusal, objection));
    return false;
  }
  roll_.add(guest, arrival);
  tell_count();
  if (roll_.complete()) start();
  return true;
}

void Exchange::tell_count() {
  MessageWriter count = answer(RendezvousAnswer::came);
  count.add(static_cast<int>(roll_.entries().size()));
  for (const Roll::Entry& each : roll_.entries()) send_(each.guest, count);
}

void Exchange::start() {
  started_ = true;
  const std::vector<Roll::Entry> entries = roll_.by_rank();
  Welcome welcome{.rank = 0, .job = new_job(), .nodes = number_nodes(entries)};
  for (const Roll::Entry& each : entries) {
    const int rank = welcome.rank;
    ranks_.push_back({.guest = each.guest, .node = welcome.nodes[static_cast<std::size_t>(rank)]});
    rank_of_[each.guest] = rank;
    if (each.arrival.serves) serving_ = rank;
    send_(each.guest, welcome.message());
    ++welcome.rank;
  }
}

void Exchange::give_up(std::chrono::seconds waited) {
  const std::string text = fmt::format(
      "only {} of the {} processes have come in {} s: start them all with the same line, or give them more "
      "time with BOWLINE_RENDEZVOUS_TIMEOUT",
      roll_.entries().size(), line_.size, waited.count());
  for (const Roll::Entry& each : roll_.entries()) send_(each.guest, answer(RendezvousAnswer::refusal, text));
}

void Exchange::hear(int guest, std::vector<std::byte> bytes) {
  const auto place = rank_of_.find(guest);
  if (place == rank_of_.end()) return;  // it may not speak before it has a rank
  const int rank = place->second;
  MessageReader message(std::move(bytes));
  switch (message.take<RendezvousCall>()) {
    case RendezvousCall::publish:
      return publish(rank, message.take_bytes());
    case RendezvousCall::keys:
      return answer_keys(rank, message.take<int>());
    case RendezvousCall::abort:
      return abort(rank, message);
    case RendezvousCall::finalize:
      at(rank).finalized = true;
      if (rank != serving_) tell(rank, answer(RendezvousAnswer::done));
      return check_end();
    case RendezvousCall::go_on:
      at(rank).finalized = over_ = false;
      return;
    case RendezvousCall::hello:
      return;
  }
}

void Exchange::publish(int rank, std::vector<std::byte> keys) {
  Rank& own = at(rank);
  own.keys = std::move(keys);
  own.published = own.awaits_node = true;
  for (const int asking : std::exchange(own.asked_by, {})) answer_keys(asking, rank);
  answer_node(own.node);
}

/// Answers those of this node who wait for the others of the node, if it is clear what to answer.
void Exchange::answer_node(int node) {
  std::string lost;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].node != node || ranks_[i].published) continue;
    if (ranks_[i].guest >= 0) return;
    lost = fmt::format("rank {} of this node has ended before MPI_Init was over", i);
  }
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    if (ranks_[i].node == node && std::exchange(ranks_[i].awaits_node, false))
      tell(static_cast<int>(i), answer(RendezvousAnswer::published, lost));
  }
}

void Exchange::answer_keys(int asking, int rank) {
  if (rank < 0 || static_cast<std::size_t>(rank) >= ranks_.size()) return;
  Rank& asked = at(rank);
  if (!asked.published && asked.guest >= 0) {
    asked.asked_by.push_back(asking);
    return;
  }
  MessageWriter keys = answer(RendezvousAnswer::keys);
  keys.add(rank).add(static_cast<std::uint8_t>(asked.published)).add(std::span<const std::byte>(asked.keys));
  tell(asking, keys);
}

void Exchange::abort(int rank, MessageReader& message) {
  const int status = message.take<int>();
  const std::string text = message.take_text();
  const std::vector<int> listed = message.take_numbers();
  Ending ending{.by = rank, .order = answer(RendezvousAnswer::end), .awaited = {}};
  ending.order.add(status).add(std::string_view(text));
  ending.until = Clock::now() + std::chrono::seconds(3);
  for (int each = 0; each < line_.size; ++each) {
    const bool ends = listed.empty() || std::ranges::find(listed, each) != listed.end();
    if (!ends || each == rank || at(each).guest < 0) continue;
    if (each == serving_) {
      ending.ends_server = true;
    } else {
      ending.awaited.push_back(each);
      tell(each, ending.order);
    }
  }
  endings_.push_back(std::move(ending));
  tick(Clock::now());
}

void Exchange::tick(Clock::time_point now) {
  const auto is_due = [now](const Ending& each) { return each.awaited.empty() || each.until <= now; };
  for (Ending& each : endings_) {
    if (is_due(each)) finish(each);
  }
  std::erase_if(endings_, is_due);
}

void Exchange::finish(Ending& ending) {
  tell(ending.by, answer(RendezvousAnswer::done));
  if (ending.ends_server) tell(serving_, ending.order);
}

std::optional<Exchange::Clock::time_point> Exchange::next_tick() const {
  const auto first = std::ranges::min_element(endings_, {}, &Ending::until);
  return first == endings_.end() ? std::nullopt : std::optional(first->until);
}

void Exchange::left(int guest) {
  if (!started_) {
    roll_.remove(guest);
    return tell_count();
  }
  const auto place = rank_of_.find(guest);
  if (place == rank_of_.end()) return;
  const int rank = place->second;
  rank_of_.erase(place);
  Rank& lost = at(rank);
  lost.guest = -1;
  for (const int asking : std::exchange(lost.asked_by, {})) answer_keys(asking, rank);
  answer_node(lost.node);
  for (Ending& each : endings_) std::erase(each.awaited, rank);
  tick(Clock::now());
  check_end();
}

/// The serving process has finished when all others have.
void Exchange::check_end() {
  const bool all = std::ranges::all_of(ranks_, [](const Rank& each) { return each.finalized || each.guest < 0; });
  if (!all || std::exchange(over_, true) || serving_ < 0) return;
  tell(serving_, answer(RendezvousAnswer::done));
}

void Exchange::tell(int rank, const MessageWriter& message) {
  if (at(rank).guest >= 0) send_(at(rank).guest, message);
}

}  // namespace bowline::wireup
