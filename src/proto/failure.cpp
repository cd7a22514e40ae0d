// SPDX-License-Identifier: BSD-3-Clause
// Connections that this process breaks off: to a peer that cannot be reached when it has to be answered, that sends
// what cannot be dealt with, or for whose messages there is no memory. Messages have an order, and answers are waited
// for: a receiver that has lost one of them cannot go on with the next.
//
// The peer is told, as far as it can be reached, so that what waits there fails, too. Unless MPI_COMM_WORLD has an
// error handler that returns, that is the end of the job, as where a peer is lost (lost.cpp).
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/log.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {
namespace {

/// Of no message.
constexpr unsigned no_kind = 0x100;

}  // namespace

void Engine::fail_peer(int rank, const Failure& why) noexcept {
  Peer* peer = peers_.known(rank);
  if (peer != nullptr && peer->broken != nullptr) return;
  try {
    if (peer == nullptr) peer = &peers_.enter_unreachable(rank);
  } catch (const std::bad_alloc&) {
    // What waits for the rank would wait for ever.
    log::error("no memory is left to note that the connection to rank {} is broken off ({})", rank, why->what());
    std::abort();
  }
  peer->break_off(Failure::of([&] {
    return Error(why->error_class(), fmt::format("the connection to rank {} was broken off: {}", rank, why->what()));
  }));
  short_way_ = no_kind;  // who sends has to be looked at from now on
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
    log::warning("no memory is left to tell rank {} that its connection was broken off", peer.rank);
  }
}

}  // namespace bowline::proto
