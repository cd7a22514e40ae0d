// SPDX-License-Identifier: BSD-3-Clause
// Good-byes by messages: a process that is in MPI_Finalize, and has sent all that its program has begun to send, tells
// others so. Between processes that share memory a word there says it (Endpoint::left).
//
// Programs that end as they should need none of it, so it waits until somebody has waited for long: who waits for a
// rank asks it, once, and is answered as soon as that rank is silent. And who is silent, and has waited for the others
// for long, tells everyone with whom there is contact: one of them may have received only, and know no way to ask.
//
// The messages of one peer arrive in order, so nothing of its program comes after its good-bye.
#include <exception>

#include "base/log.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {

/// Unless there is no room for it now: then it is asked by the next doubt. A message that waits for room would keep
/// this process from sleeping.
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
      log::info("rank {} is not told that this one ends: {}", rank, error.what());
    }
    return true;
  });
}

}  // namespace bowline::proto
