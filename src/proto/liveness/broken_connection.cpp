// SPDX-License-Identifier: BSD-3-Clause
// Connections that this process closes because of an error.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <span>

#include "base/log.hpp"
#include "base/process_id.hpp"
#include "proto/engine.hpp"
#include "proto/liveness/liveness.hpp"

namespace bowline::proto {
namespace {

/// A kind that no message has.
constexpr unsigned no_kind = 0x100;

}  // namespace

std::span<const MessageKind> Liveness::message_kinds() noexcept {
  static constexpr std::array kinds{
      MessageKind{
          Kind::broken_off, {"broken_off", 0, any_length, false}, &call<Liveness, &Liveness::broken_off_arrived>},
  };
  return kinds;
}

void Liveness::broken_off_arrived(const Arrival& message) {
  throw Error(ErrorClass::other,
              fmt::format("it does not take messages of this process any more: {}", sentence_in(message.body)));
}

unsigned Liveness::initial_unchecked_kind() noexcept {
  return message_events.heard() ? no_kind : static_cast<unsigned>(Kind::eager);
}

void Liveness::choose_unchecked_kind() noexcept {
  unchecked_kind_ = any_broken_ ? no_kind : initial_unchecked_kind();
}

void Liveness::break_off(int rank, const Failure& why) noexcept {
  Peer* peer = engine_.peers().known(rank);
  if (peer != nullptr && peer->broken != nullptr) return;
  try {
    if (peer == nullptr) peer = &engine_.peers().enter_unreachable(rank);
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
  any_broken_ = true;
  choose_unchecked_kind();  // from now on each message needs the check whether its sender has failed
  fail_operations(*peer);
  tell_broken_off(*peer, why->what());
}

void Liveness::look_at(int process) noexcept {
  Peer* const peer = engine_.peers().known(process);
  if (peer != nullptr && !peer->failed && peer->lost() && !peer->has_left()) fail_operations(*peer);
}

void Liveness::declare_lost(int process) noexcept {
  Peer* const peer = engine_.peers().known(process);
  if (peer != nullptr && peer->failed) return;
  if (peer != nullptr && peer->lost()) return fail_operations(*peer);
  break_off(process, Failure::of([&] {
              return Error(ErrorClass::proc_failed, "other processes have found that it has failed");
            }));
}

void Liveness::tell_broken_off(Peer& peer, const char* why) noexcept {
  transport::Endpoint& endpoint = *peer.endpoint;
  if (endpoint.lost()) return;
  const auto sentence = std::as_bytes(std::span(why, std::min(std::strlen(why), endpoint.limits().max_body)));
  const transport::Header header = control_header({}, Kind::broken_off);
  if (peer.controls.empty() && endpoint.send(header, {}, sentence) == transport::Post::done) return;
  try {
    engine_.outbox().queue_control(peer, header, {}, sentence);
  } catch (const std::bad_alloc&) {
    log::warning("no memory is left to tell {} that its connection was broken off", process_name(peer.rank));
  }
}

}  // namespace bowline::proto
