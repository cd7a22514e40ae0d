// SPDX-License-Identifier: BSD-3-Clause
// How a connection goes on after its link has failed: nothing is lost, and nothing comes twice. Each side says how many
// messages it has received. What the other has sent beyond that is sent again (SendQueue::repeat()).
//
// On iWARP a request that has completed may be lost nevertheless. If that was a write, or a message that the peer has
// not received, the peer is lost.
#include "verbs/connection/connection.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "verbs/verbs_device.hpp"

namespace bowline::verbs {

Connection::Connection(VerbsDevice& device, int peer, std::uint32_t number)
    : device_(device),
      group_(device.group_with_room()),
      peer_(peer),
      number_(number),
      arrival_(device.adapter().completion_proves_arrival()),
      outbox_(*this, link_, arrival_, device.works(), group_.credits(), device.notes()) {
  group_.expect();
}

// ---- connecting

Handshake Connection::handshake() {
  if (!link_.has_pair()) link_.adopt(device_.make_pair(*this));
  PeerCredits& credits = outbox_.credits();
  if (Grant* const grant = credits.grant_to_admit(); grant != nullptr) {
    group_.admit(*grant);
    credits.note_admitted();
  }
  Handshake handshake;
  handshake.sender = device_.index_at(peer_);
  handshake.link = number_;
  handshake.received = received_;
  handshake.granted = credits.granted();
  credits.note_told();
  if (const RegisteredBlock* const probe = device_.probe(); probe != nullptr) {
    handshake.probe_address = reinterpret_cast<std::uintptr_t>(probe->memory());
    handshake.probe_key = probe->remote_key();
  }
  link_.describe(handshake);
  return handshake;
}

void Connection::connect(const Handshake& theirs) {
  if (link_.state() != PeerLink::State::apart) {
    throw Error(ErrorClass::intern, fmt::format("{} wants to connect a second queue pair", process_name(peer_)));
  }
  if (outbox_.lacks_messages(theirs)) {
    lose("messages that were sent have not arrived, and are not there any more");
    throw error();
  }
  static_cast<void>(handshake());
  link_.connect(theirs);
  arrival_.start(theirs);
  outbox_.start(theirs);
  if (link_.state() == PeerLink::State::joining) device_.notes().joining.push_back(this);
}

void Connection::handshake_done() noexcept {
  if (link_.sends_after_handshake()) set_ready();
}

void Connection::can_send_first() noexcept {
  if (!link_.can_send_first()) return;
  set_ready();
  outbox_.schedule_message();
}

/// The peer can receive, too. Sends the messages again that the peer has not received through an earlier queue pair.
void Connection::set_ready() noexcept {
  if (!link_.become_ready()) return;
  outbox_.repeat();
  outbox_.pump();
}

// ---- events

void Connection::failed(const SendWork&, ibv_wc_status status) noexcept {
  const bool may_pass =
      status == IBV_WC_RETRY_EXC_ERR || status == IBV_WC_RESP_TIMEOUT_ERR || status == IBV_WC_WR_FLUSH_ERR;
  broke(library().wc_status_str(status), may_pass);
}

void Connection::broke(std::string why, bool may_pass) noexcept {
  if (!link_.is_connected()) return;
  const bool is_late = link_.note_failure(PeerLink::Clock::now(), device_.patience());
  if (!may_pass || !device_.may_reconnect() || is_late || arrival_.lacks_writes()) return lose(std::move(why));
  link_.cut(std::move(why));
  log::info("the link to {} on {} has failed (\"{}\") and is made again", process_name(peer_), host(), link_.why());
  device_.notes().cut.push_back(this);
}

bool Connection::arrived(const WireHeader& header) {
  if (link_.state() == PeerLink::State::known) [[unlikely]]
    set_ready();  // who sends has connected its queue pair
  outbox_.credits().allow(header.granted);
  if (header.kind != WireKind::message) return false;
  if (static_cast<std::int32_t>(header.sequence - received_) < 0) return false;
  if (header.sequence != received_) {
    throw Error(ErrorClass::intern,
                fmt::format("message {} from {} has come where {} was expected; the connection with "
                            "that rank is closed",
                            header.sequence, process_name(peer_), received_));
  }
  ++received_;
  return true;
}

// ---- the end

void Connection::set_left() noexcept {
  if (link_.leave()) device_.notes().broken.push_back(this);
}

void Connection::lose(std::string why) noexcept {
  if (!link_.lose(std::move(why))) return;
  device_.notes().broken.push_back(this);
  ++device_.notes().lost_peers;
  log::info("{} {}", process_name(peer_), loss());
}

void Connection::end_all() noexcept {
  if (!link_.is_over()) return;
  link_.drop_pair();
  outbox_.credits().dismiss();
  if (outbox_.is_idle()) return;
  const Failure failure = Failure::of([this] { return error(); });
  outbox_.end_all(*failure);
}

std::string Connection::loss() const {
  if (link_.state() == PeerLink::State::left) return fmt::format("on {} has ended", host());
  return fmt::format("on {} cannot be reached any more over the RDMA adapter {} (\"{}\")", host(),
                     device_.adapter().name(), link_.why());
}

Error Connection::error() const {
  return {ErrorClass::proc_failed, fmt::format("{} {}", process_name(peer_), loss())};
}

Error Connection::uncertain_atomic() const {
  return {ErrorClass::other, fmt::format("the link to {} on {} has failed during an atomic operation in its memory, so "
                                         "whether that was executed is not known",
                                         process_name(peer_), host())};
}

}  // namespace bowline::verbs
