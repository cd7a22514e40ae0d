// SPDX-License-Identifier: BSD-3-Clause
// Connections that this process closes because of an error: the peer cannot be reached although it must be answered, it
// sends messages that cannot be processed, or there is no memory for its messages. Messages are ordered and peers wait
// for answers, so a receiver that has lost a message cannot continue with the next one.
//
// The peer is notified if it can be reached, so that its operations fail as well. Unless MPI_COMM_WORLD has an error
// handler that returns, the job ends, as it does when a peer is lost (lost.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/log.hpp"
#include "base/process_id.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

/// A kind that no message has.
constexpr unsigned no_kind = 0x100;

}  // namespace

void Engine::fail_peer(int rank, const Failure& why) noexcept {
  Peer* peer = peers_.known(rank);
  if (peer != nullptr && peer->broken != nullptr) return;
  try {
    if (peer == nullptr) peer = &peers_.enter_unreachable(rank);
  } catch (const std::bad_alloc&) {
    // Operations that wait for the rank would never complete.
    log::error("no memory is left to note that the connection to {} is broken off ({})", process_name(rank),
               why->what());
    std::abort();
  }
  peer->break_off(Failure::of([&] {
    return Error(why->error_class(),
                 fmt::format("the connection to {} was broken off: {}", process_name(rank), why->what()));
  }));
  short_way_ = no_kind;  // from now on each message needs the check whether its sender has failed
  give_up(*peer);
  tell_broken_off(*peer, why->what());
}

void Engine::tell_broken_off(Peer& peer, const char* why) noexcept {
  transport::Endpoint& endpoint = *peer.endpoint;
  if (endpoint.lost()) return;
  const auto sentence = std::as_bytes(std::span(why, std::min(std::strlen(why), endpoint.limits().max_body)));
  const transport::Header header = control_header({}, Kind::broken_off);
  if (peer.controls.empty() && endpoint.send(header, {}, sentence) == transport::Post::done) return;
  try {
    queue_control(peer, header, {}, sentence);
  } catch (const std::bad_alloc&) {
    log::warning("no memory is left to tell {} that its connection was broken off", process_name(peer.rank));
  }
}

}  // namespace bowline::proto
