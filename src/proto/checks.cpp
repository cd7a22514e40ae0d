// SPDX-License-Identifier: BSD-3-Clause
// Checks every arriving message before it is used: it must have the form of its kind, and the ids in it must name
// requests that concern the sender. Otherwise an Error is thrown, which closes the connection to the sender.
#include "proto/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "base/process_id.hpp"
#include "proto/engine.hpp"
#include "proto/lanes.hpp"

namespace bowline::proto {
namespace {

constexpr std::array<Form, 19> forms{{
    {"eager", 0, any_length, true},
    {"eager_synchronous", sizeof(SendId), any_length, true},
    {"ready_to_send", sizeof(ReadyToSend), any_length, true},
    {"finished", sizeof(SendId), 0, false},
    {"clear_to_send", sizeof(ClearToSend), 0, false},
    {"clear_to_put", sizeof(ClearToPut), any_length, false},
    {"data", sizeof(Data), any_length, false},
    {"placed", sizeof(Placed), 0, false},
    {"cancel", sizeof(SendId), 0, true},
    {"cancelled", sizeof(SendId), 0, false},
    {"announce_all", 0, 0, false},
    {"announce_long", 0, 0, false},
    {"hold", 0, 0, true},
    {"resume", sizeof(Resume), 0, true},
    {"broken_off", 0, any_length, false},
    {"failure", sizeof(FailureNotice), any_length, true},
    {"tell_end", 0, 0, false},
    {"good_bye", 0, 0, false},
    {"clear_to_share", sizeof(ClearToPut), 0, false},
}};
static_assert(forms.size() == static_cast<std::size_t>(Kind::clear_to_share) + 1);

}  // namespace

const Form* form_of(std::uint8_t kind) noexcept {
  return kind < forms.size() ? &forms[kind] : nullptr;
}

Error wrong_message(int origin, const std::string& what) {
  return {ErrorClass::intern, fmt::format("a message from {} is wrong: {}; the connection with that rank is given "
                                          "up. Do all ranks run the same version of Bowline, and does none write "
                                          "beyond the ends of its arrays?",
                                          process_name(origin), what)};
}

Error wrong_message(int origin, std::string_view kind, const std::string& what) {
  return wrong_message(origin, fmt::format("{}: {}", kind, what));
}

Error wrong_message(int origin, Kind kind, const std::string& what) {
  return wrong_message(origin, form_of(static_cast<std::uint8_t>(kind))->name, what);
}

std::string sentence_in(std::span<const std::byte> bytes) {
  constexpr std::size_t longest = 1000;
  std::string text;
  for (const std::byte each : bytes.first(std::min(bytes.size(), longest))) {
    const auto letter = static_cast<char>(each);
    text += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return text;
}

/// Throws Error unless this engine may serve a communicator with this context.
void Engine::check_context(int origin, std::uint32_t context) const {
  const unsigned lane = lane_of(context);
  const bool of_this_lane = lanes_ == nullptr || (lane < lanes_->count() && &(*lanes_)[lane] == this);
  if (of_this_lane && generation_of(context) < context_generations) return;
  throw wrong_message(origin, fmt::format("its context is {:#x}, which no communicator {}", context,
                                          of_this_lane ? "has" : "of that lane has"));
}

/// Throws Error unless the message has the form of its kind.
void Engine::check_form(int origin, transport::Header header, std::span<const std::byte> prefix,
                        std::span<const std::byte> body) const {
  const Form* form = form_of(header.kind);
  if (form == nullptr) form = services_.form_of(header.kind);
  if (form == nullptr) throw wrong_message(origin, fmt::format("its kind is {}, which there is not", header.kind));
  if (prefix.size() != form->prefix_bytes) {
    throw wrong_message(origin, form->name,
                        fmt::format("{} bytes stand before its body, not {}", prefix.size(), form->prefix_bytes));
  }
  if (body.size() > form->most_body) {
    throw wrong_message(origin, form->name,
                        fmt::format("it has a body of {} bytes, {} at most are allowed", body.size(), form->most_body));
  }
  if (!form->in_context || is_plausible(header)) return;
  throw wrong_message(origin, form->name,
                      fmt::format("its source is {} (0 to {} are allowed), its tag is {} (0 at least)", header.source,
                                  peers_.size() - 1, header.tag));
}

void Engine::check_rank(int origin, Kind kind, std::int64_t rank) const {
  if (rank >= 0 && rank < ranks_) return;
  throw wrong_message(origin, kind, fmt::format("it speaks of rank {} (0 to {} are allowed)", rank, ranks_ - 1));
}

/// Whether requests have failed that this peer may still name.
bool Engine::forgets(int origin) const noexcept {
  const Peer* const peer = peers_.known(origin);
  return peer != nullptr && peer->given_up && may_return(*peer);
}

/// The send that rank `origin` may name by this id. Throws Error if there is none, Forgotten if there may have been.
SendRequest& Engine::named_send(int origin, Kind kind, std::uint64_t id) const {
  SendRequest* const send = named_sends_.find(id);
  if (send == nullptr || send->peer.rank != origin) {
    if (forgets(origin)) throw Forgotten();
    throw wrong_message(origin, kind, fmt::format("it speaks of send {:#x}, which does not wait for that rank", id));
  }
  return *send;
}

/// The receive that rank `origin` may name by this id. Throws Error if there is none, Forgotten if there may have been.
ReceiveRequest& Engine::named_receive(int origin, Kind kind, std::uint64_t id) const {
  ReceiveRequest* const receive = named_receives_.find(id);
  if (receive == nullptr || receive->sender->rank != origin) {
    if (forgets(origin)) throw Forgotten();
    throw wrong_message(origin, kind, fmt::format("it speaks of receive {:#x}, which does not wait for that rank", id));
  }
  return *receive;
}

// At least one byte and at most the whole message: the receiver sends `finished` for an empty message.
void check_asked(int origin, Kind kind, const SendRequest& send, std::uint64_t bytes) {
  if (send.stage != SendRequest::Stage::announced) {
    throw wrong_message(origin, kind, "it asks for a message that was not offered, or for the second time");
  }
  if (bytes == 0 || bytes > send.bytes) {
    throw wrong_message(origin, kind, fmt::format("it asks for {} bytes of a message of {}", bytes, send.bytes));
  }
}

namespace {

/// `kind`: the Kind or its name.
template <class Which>
void check_offer(int origin, Which kind, std::uint64_t send_id, std::uint64_t bytes) {
  if (send_id == no_id) throw wrong_message(origin, kind, "it has no id");
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());
  if (bytes > most) throw wrong_message(origin, kind, fmt::format("it is said to have {} bytes", bytes));
}

}  // namespace

void check_offered(int origin, Kind kind, std::uint64_t send_id, std::uint64_t bytes) {
  check_offer(origin, kind, send_id, bytes);
}

void check_offered(int origin, std::string_view kind, std::uint64_t send_id, std::uint64_t bytes) {
  check_offer(origin, kind, send_id, bytes);
}

}  // namespace bowline::proto
