// SPDX-License-Identifier: BSD-3-Clause
// Good-byes by messages: a process in MPI_Finalize that has handed over all messages of its program notifies its peers.
// Processes that share memory read a word there instead (Endpoint::left).
//
// A program that ends properly needs no good-byes, so none are sent before a rank has waited for long. Such a rank asks
// the rank for which it waits, once; that rank answers as soon as all its messages are handed over. A rank that has
// been in MPI_Finalize for long notifies every connected peer, because a peer that has only received has no way to ask.
//
// The messages of one peer arrive in order, so no message of its program follows its good-bye.
#include <exception>

#include "base/log.hpp"
#include "base/process_id.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {

/// Asks the peer for its good-bye, once. If the transport has no room now, the next check for lost peers asks again: a
/// queued message would keep this process from sleeping.
void Engine::ask_for_end(Peer& peer) noexcept {
  if (peer.asked_for_end || peer.endpoint->shows_end() || peer.has_left() || peer.lost() || !peer.controls.empty())
    return;
  peer.asked_for_end = peer.endpoint->send(control_header({}, Kind::tell_end), {}, {}) == transport::Post::done;
}

void Engine::tell_end_arrived(int origin) {
  if (silent_) return tell_good_bye(peers_[origin]);
  await_end_.insert(origin);
}

void Engine::good_bye_arrived(int origin) {
  peers_[origin].said_good_bye = true;
}

void Engine::tell_good_bye(Peer& peer) noexcept {
  if (peer.told_good_bye || peer.endpoint->shows_end() || peer.lost()) return;
  peer.told_good_bye = true;
  send_control(peer, control_header({}, Kind::good_bye), {});
}

void Engine::say_good_bye(bool to_all) noexcept {
  silent_ = true;
  if (to_all) peers_.for_each([this](Peer& peer) { tell_good_bye(peer); });
  std::erase_if(await_end_, [this](int rank) {
    try {
      tell_good_bye(peers_[rank]);
    } catch (const transport::NotYet&) {
      return false;
    } catch (const std::exception& error) {
      log::info("{} is not told that this one ends: {}", process_name(rank), error.what());
    }
    return true;
  });
}

}  // namespace bowline::proto
