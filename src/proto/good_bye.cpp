// SPDX-License-Identifier: BSD-3-Clause
// Good-byes by messages: a process in MPI_Finalize that has handed over all messages of its program notifies its peers.
// Processes that share memory read a word there instead (Endpoint::left).
//
// A program that ends properly needs no good-byes, so none are sent before a rank has waited for long. Such a rank asks
// the rank for which it waits, once; that rank answers as soon as all its messages are handed over. A rank that has
// been in MPI_Finalize for long notifies every connected peer, because a peer that has only received has no way to ask.
//
// The messages of one peer arrive in order, so no message of its program follows its good-bye. Sessions may follow the
// good-bye of a program: only operations on communicators of MPI_Init's world end with it. That of a process, which is
// about to end, ends all.
#include <algorithm>
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
  if (farewell_ != Farewell::none) tell_good_bye(peers_[origin]);
  if (farewell_ != Farewell::of_process) await_end_.insert(origin);
}

void Engine::good_bye_arrived(int origin, transport::Header header) {
  Peer& peer = peers_[origin];
  if (header.tag == static_cast<int>(Farewell::of_process)) peer.said = Farewell::of_process;
  if (peer.said == Farewell::none) peer.said = Farewell::of_program;
}

void Engine::all_have_left() noexcept {
  peers_.for_each([](Peer& peer) { peer.said = std::max(peer.said, Farewell::of_program); });
}

/// The tag of the message is the farewell.
void Engine::tell_good_bye(Peer& peer) noexcept {
  if (peer.told >= farewell_ || peer.endpoint->shows_end() || peer.lost()) return;
  peer.told = farewell_;
  send_control(peer, control_header({.tag = static_cast<int>(farewell_)}, Kind::good_bye), {});
}

void Engine::say_good_bye(Farewell farewell, bool to_all) noexcept {
  farewell_ = std::max(farewell_, farewell);
  if (to_all) peers_.for_each([this](Peer& peer) { tell_good_bye(peer); });
  std::erase_if(await_end_, [this](int rank) {
    try {
      tell_good_bye(peers_[rank]);
    } catch (const transport::NotYet&) {
      return false;
    } catch (const std::exception& error) {
      log::info("{} is not told that this one ends: {}", process_name(rank), error.what());
      return true;
    }
    return farewell_ == Farewell::of_process;  // otherwise it has asked for that, too
  });
}

}  // namespace bowline::proto
