// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/rivals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/checking/places.hpp"

namespace bowline::api::checking {
namespace {

/// More matches of different kinds than that do not wait for rivals: each message that comes is compared with all.
constexpr std::size_t most_open_matches = 1000;

bool accepts(const proto::Match& match, std::uint32_t context, int source, int tag) noexcept {
  return match.context == context && (match.source == proto::any_source || match.source == source) &&
         (match.tag == proto::any_tag || match.tag == tag);
}

}  // namespace

// Not destroyed by exit(): threads may still call MPI.
Rivals& Rivals::of_this_process() {
  static auto* const all = new Rivals;
  return *all;
}

Rivals::Receive Rivals::begin(Receive receive) {
  const std::lock_guard hold(mutex_);
  receive.order = ++begun_;
  return receive;
}

void Rivals::keep(const void* request, const Receive& receive) {
  const std::lock_guard hold(mutex_);
  pending_[request] = receive;
}

std::optional<Rivals::Receive> Rivals::take(const void* request) {
  const std::lock_guard hold(mutex_);
  const auto found = pending_.find(request);
  if (found == pending_.end()) return {};
  const Receive receive = found->second;
  if (receive.persistent)
    found->second.order = ++begun_;  // the next round begins later than that
  else
    pending_.erase(found);
  return receive;
}

bool Rivals::is_known(const void* request) {
  const std::lock_guard hold(mutex_);
  return pending_.contains(request);
}

void Rivals::forget(const void* request) {
  const std::lock_guard hold(mutex_);
  pending_.erase(request);
}

/// The message that this receive has taken may be a rival of those that earlier ones took. If this receive began first,
/// an earlier match could have taken this message only if this receive could have taken that one.
void Rivals::find_rivals_of_earlier(const Receive& receive, const Taken& message) {
  std::erase_if(open_, [&](const Open& open) {
    if (open.source == message.source ||
        !accepts(open.receive.accepts, receive.accepts.context, message.source, message.tag))
      return false;
    if (receive.order < open.receive.order &&
        !accepts(receive.accepts, open.receive.accepts.context, open.source, open.tag))
      return false;
    places_[open.receive.by.returns_to].with_rivals += open.matches;
    return true;
  });
}

void Rivals::completed(const Receive& receive, const Taken& message, const IsThere& is_there) {
  const bool has_choice = receive.accepts.source == proto::any_source && !message.is_empty;
  const bool rival_is_there = has_choice && is_there(receive.accepts, message.source);
  const std::lock_guard hold(mutex_);
  find_rivals_of_earlier(receive, message);
  if (!has_choice) return;
  Place& place = places_[receive.by.returns_to];
  place.call = receive.by;
  place.named = place.named || message.named;
  ++place.matches;
  if (rival_is_there) {
    ++place.with_rivals;
    return;
  }
  const auto alike = std::ranges::find_if(open_, [&](const Open& open) {
    return open.receive.by.returns_to == receive.by.returns_to && open.receive.accepts == receive.accepts &&
           open.source == message.source && open.tag == message.tag;
  });
  if (alike == open_.end()) {
    if (open_.size() == most_open_matches) open_.erase(open_.begin());
    open_.push_back({receive, message.source, message.tag, 1});
  } else {
    alike->receive.order = std::max(alike->receive.order, receive.order);
    ++alike->matches;
  }
}

void Rivals::tell_others() {
  const std::lock_guard hold(mutex_);
  open_.clear();
}

std::vector<std::string> Rivals::in_words(bool all) {
  const std::lock_guard hold(mutex_);
  if (std::ranges::none_of(places_, [](const auto& each) { return each.second.with_rivals > 0; })) return {};
  std::vector<MpiCall> calls;
  for (const auto& [returns_to, place] : places_) calls.push_back(place.call);
  const std::vector<std::string> words = checking::in_words(calls);
  // A line of the program may contain several calls: the compiler unrolls loops.
  std::map<std::string, Place> lines;
  std::size_t next = 0;
  for (const auto& [returns_to, place] : places_) {
    Place& line = lines[words[next++]];
    line.matches += place.matches;
    line.with_rivals += place.with_rivals;
    line.named = line.named || place.named;
  }
  std::vector<std::string> sentences;
  for (const auto& [call, line] : lines) {
    if (line.with_rivals == 0 || (line.named && !all)) continue;
    sentences.push_back(fmt::format(
        "{} of {} message{} that {} received from any rank had rivals, messages of other ranks that it could have "
        "received as well{}",
        line.with_rivals, line.matches, line.matches == 1 ? "" : "s", call,
        line.named ? "" : "; the program does not ask which rank has sent them"));
  }
  return sentences;
}

}  // namespace bowline::api::checking
