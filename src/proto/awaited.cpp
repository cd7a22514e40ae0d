// SPDX-License-Identifier: BSD-3-Clause
// What calls wait for: the words, and the ranks that can end the wait.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "proto/in_words.hpp"
#include "proto/liveness/process_directory.hpp"
#include "proto/near_misses.hpp"

namespace bowline::proto {
namespace {

Match match_of(const ReceiveRequest& receive) noexcept {
  return {receive.context, receive.source, receive.tag};
}

}  // namespace

WaitTargets targets_of(Engine& lane, const Match& match) {
  ProcessDirectory* const directory = lane.liveness().directory();
  if (directory == nullptr) return {};
  if (match.source != any_source) return WaitTargets::one(directory->process(match.context, match.source));
  WaitTargets targets{.kind = WaitTargets::Kind::any};
  const int senders = directory->senders(match.context);
  for (int source = 0; source < senders && !targets.more; ++source)
    targets.add(directory->process(match.context, source));
  return senders > 0 ? targets : WaitTargets{};
}

WaitTargets targets_of(Engine& lane, const Request& request) {
  switch (request.role) {
    case Request::Role::send:
      return WaitTargets::one(static_cast<const SendRequest&>(request).peer.rank);
    case Request::Role::receive: {
      const auto& receive = static_cast<const ReceiveRequest&>(request);
      return targets_of(lane, Match{receive.context, receive.source, receive.tag});
    }
    case Request::Role::special:
      break;
  }
  return static_cast<const SpecialRequest&>(request).targets(lane);
}

WaitDescription request_awaited(Engine& lane, const void* what) {
  const auto& request = *static_cast<const Request*>(what);
  std::string words = "for " + request_in_words(lane, request);
  if (request.role == Request::Role::receive)
    words += near_misses(lane, match_of(static_cast<const ReceiveRequest&>(request)));
  return {std::move(words), targets_of(lane, request), {request.context}};
}

WaitDescription receive_awaited(Engine& lane, const void* request) {
  const auto& receive = *static_cast<const ReceiveRequest*>(static_cast<const Request*>(request));
  return {match_in_words(lane, match_of(receive)) + near_misses(lane, match_of(receive)),
          targets_of(lane, receive),
          {receive.context}};
}

WaitDescription send_awaited(Engine& lane, const void* request) {
  const auto& send = *static_cast<const SendRequest*>(static_cast<const Request*>(request));
  return {send_in_words(lane, send.header, send.peer.rank), targets_of(lane, send), {send.context}};
}

WaitDescription match_awaited(Engine& lane, const void* what) {
  const auto& match = *static_cast<const Match*>(what);
  return {match_in_words(lane, match) + near_misses(lane, match), targets_of(lane, match), {match.context}};
}

/// The targets stay `outside`, because MPI_Finalize stops this wait by itself after some seconds.
WaitDescription sends_awaited(Engine& lane, const void*) {
  std::size_t count = 0;
  std::string first;
  lane.requests().for_each_send([&](const SendRequest& send) {
    if (count++ == 0) first = request_in_words(lane, send);
  });
  if (count == 0) return {"for messages to leave"};
  return {count == 1 ? "for " + first : fmt::format("for {} sends, one of them {}", count, first)};
}

}  // namespace bowline::proto
