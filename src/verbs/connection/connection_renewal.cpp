// SPDX-License-Identifier: BSD-3-Clause
// How a connection goes on after its link has failed: nothing is lost, and nothing comes twice.
//
// Each side says how many messages it has received. What the other has sent beyond that is sent again. A message that
// was received proves that everything before it in the send queue was executed. Reads are repeated in any case, because
// their data may be lost; writes that may have been executed are repeated, too: as long as a write has not completed,
// nobody relies on what is in its target. Requests of the connection's own only served the queue pair that is gone.
// Whether an atomic operation was executed cannot be known, so it fails.
//
// On iWARP a request that has completed may be lost nevertheless. If that was a write, or a message that the peer has
// not received, the peer is lost.
#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "verbs/connection/connection.hpp"
#include "verbs/verbs_device.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

/// A peer that computes in the meantime lets an attempt of the connection manager fail after seconds.
constexpr unsigned least_joins = 4;

}  // namespace

void Connection::broke(std::string why, bool may_pass) noexcept {
  if (!is_connected()) return;
  const auto now = std::chrono::steady_clock::now();
  if (!std::exchange(failing_, true)) first_break_ = now;
  if (state_ == State::joining) ++failed_joins_;
  const bool tried_enough = state_ != State::joining || failed_joins_ >= least_joins;
  const bool is_late = tried_enough && now - first_break_ > device_.patience();
  if (!may_pass || !device_.may_reconnect() || is_late || arrival_.lacks_writes()) return lose(std::move(why));
  state_ = State::apart;
  why_lost_ = std::move(why);
  log::info("the link to {} on {} has failed (\"{}\") and is made again", process_name(peer_), host(), why_lost_);
  device_.note_cut(*this);
}

void Connection::stop() noexcept {
  if (is_connected()) state_ = State::apart;
  if (pair_ != nullptr) pair_->stop();
}

void Connection::begin_epoch(std::uint32_t epoch) noexcept {
  pair_.reset();
  pair_number_ = 0;
  epoch_ = epoch;
}

/// Posts again, in order, what the peer has not received.
void Connection::replay() noexcept {
  List<SendWork> before, ended;
  before.append(in_flight_);
  in_flight_count_ = 0;
  unsignalled_ = 0;
  unsigned count = 0, executed = 0;
  before.find([&](const SendWork& work) {
    ++count;
    if (work.is_message && static_cast<std::int32_t>(work.sequence - their_received_) < 0) executed = count;
    return false;
  });
  for (unsigned i = 0; i < count; ++i) {
    SendWork& work = before.pop_front();
    const bool done = i < executed && !is_read(work);
    if (done || work.is_own || is_atomic(work)) {
      ended.push_back(work);
    } else {
      work.request.send_flags &= static_cast<unsigned>(IBV_SEND_INLINE);
      queue(work);
    }
  }
  flush_queue();
  // Last, because who is notified may send.
  while (!ended.empty()) {
    SendWork& work = ended.pop_front();
    transport::Operation* const operation = work.operation;
    const bool unknown = is_atomic(work);
    device_.works().give_back(work);
    if (operation == nullptr) continue;
    device_.note_ended();
    const Failure failure = !unknown ? Failure() : Failure::of([this] {
      return Error(ErrorClass::other, fmt::format("the link to {} on {} has failed during an atomic operation in its "
                                                  "memory, so whether that was executed is not known",
                                                  process_name(peer_), host()));
    });
    operation->ended(failure.get());
  }
}

}  // namespace bowline::verbs
