// SPDX-License-Identifier: BSD-3-Clause
#include "proto/liveness/farewells.hpp"

#include <algorithm>
#include <array>
#include <exception>

#include "base/log.hpp"
#include "base/process_id.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {

std::span<const MessageKind> Farewells::message_kinds() noexcept {
  static constexpr std::array kinds{
      MessageKind{Kind::tell_end, {"tell_end", 0, 0, false}, &call<Farewells, &Farewells::tell_end_arrived>},
      MessageKind{Kind::good_bye, {"good_bye", 0, 0, false}, &call<Farewells, &Farewells::good_bye_arrived>},
  };
  return kinds;
}

void Farewells::ask_for_end(Peer& peer) noexcept {
  if (peer.asked_for_end || peer.endpoint->shows_end() || peer.has_left() || peer.lost() || !peer.controls.empty())
    return;
  peer.asked_for_end = peer.endpoint->send(control_header({}, Kind::tell_end), {}, {}) == transport::Post::done;
}

void Farewells::tell_end_arrived(const Arrival& message) {
  if (farewell_ != Farewell::none) tell_good_bye(engine_.peer(message.origin));
  if (farewell_ != Farewell::of_process) await_end_.insert(message.origin);
}

void Farewells::good_bye_arrived(const Arrival& message) {
  Peer& peer = engine_.peer(message.origin);
  if (message.header.tag == static_cast<int>(Farewell::of_process)) peer.said = Farewell::of_process;
  if (peer.said == Farewell::none) peer.said = Farewell::of_program;
}

void Farewells::all_have_left() noexcept {
  engine_.peers().for_each([](Peer& peer) { peer.said = std::max(peer.said, Farewell::of_program); });
}

void Farewells::parts_from(int process) {
  Peer* const peer = engine_.peers().known(process);
  (peer != nullptr ? *peer : engine_.peers().enter_unreachable(process, true)).said = Farewell::of_process;
  parting_.erase(process);
}

void Farewells::meets(int process) noexcept {
  Peer* const peer = engine_.peers().known(process);
  if (peer == nullptr) return;
  if (peer->lost()) return engine_.disconnect(process);
  peer->said = peer->told = Farewell::none;
  peer->failed = peer->asked_for_end = false;
}

/// The tag of the message is the farewell.
void Farewells::tell_good_bye(Peer& peer) noexcept {
  if (peer.told >= farewell_ || peer.endpoint->shows_end() || peer.lost()) return;
  peer.told = farewell_;
  tell(peer, Kind::good_bye, {.tag = static_cast<int>(farewell_)}, {});
}

void Farewells::say_good_bye(Farewell farewell, bool to_all) noexcept {
  farewell_ = std::max(farewell_, farewell);
  if (to_all) engine_.peers().for_each([this](Peer& peer) { tell_good_bye(peer); });
  std::erase_if(await_end_, [this](int rank) {
    try {
      tell_good_bye(engine_.peer(rank));
    } catch (const transport::NotYet&) {
      return false;
    } catch (const std::exception& error) {
      log::info("{} is not told that this one ends: {}", process_name(rank), error.what());
      return true;
    }
    return farewell_ == Farewell::of_process;  // otherwise the peer has asked for the end of the process, too
  });
}

}  // namespace bowline::proto
