// SPDX-License-Identifier: BSD-3-Clause
// Progress: polling, dispatching what arrives, and waiting.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <new>
#include <utility>

#include "proto/checks.hpp"
#include "proto/engine.hpp"
#include "proto/lanes.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::proto {

unsigned Engine::progress() noexcept {
  sends_since_progress_ = 0;
  unsigned events = 0;
  // By index: connection establishment may add a device.
  for (std::size_t i = 0; i < devices_.size(); ++i) events += devices_[i]->poll(*this);
  if (!waiting_peers_.empty() || !ready_.empty() || !watches_.empty() || flow_.restrains()) [[unlikely]]
    events += progress_rare();
  if (events != 0 && lock_.enabled() && lanes_ != nullptr) [[unlikely]]
    lanes_->wake_sleepers();
  return events;
}

unsigned Engine::progress_rare() noexcept {
  if (!waiting_peers_.empty()) flush_waiting();
  if (flow_.restrains()) lift_needed_holds();
  if (!watches_.empty()) look_at_watches();
  if (ready_.empty()) return 0;
  resume_ready();
  return 1;
}

void Engine::arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
                     std::span<const std::byte> body) {
  try {
    handle(peer, header, prefix, body);
  } catch (const transport::NotYet&) {
    throw;
  } catch (...) {
    fail_peer(peer, Failure::current());
  }
}

void Engine::handle(int peer, transport::Header header, std::span<const std::byte> prefix,
                    std::span<const std::byte> body) {
  if (header.kind == short_way_ && prefix.empty() && is_plausible(header)) [[likely]]
    return eager_arrived(peer, header, body);
  control_arrived(peer, header, prefix, body);
}

void Engine::control_arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
                             std::span<const std::byte> body) {
  const auto kind = static_cast<Kind>(header.kind);
  // The message may name requests that have failed and do not exist any more.
  const Peer* const known = peers_.known(peer);
  const bool returns = known != nullptr && known->given_up && may_return(*known);
  if (known != nullptr && known->given_up && !returns && (kind != Kind::eager || known->broken != nullptr)) return;
  check_form(peer, header, prefix, body);
  if (!returns) return dispatch(peer, header, prefix, body);
  try {
    dispatch(peer, header, prefix, body);
  } catch (const Forgotten&) {  // the request that it names has failed
  }
}

void Engine::dispatch(int peer, transport::Header header, std::span<const std::byte> prefix,
                      std::span<const std::byte> body) {
  switch (static_cast<Kind>(header.kind)) {
    case Kind::eager:
      return eager_arrived(peer, header, body);
    case Kind::eager_synchronous:
      return synchronous_arrived(peer, header, read_prefix<SendId>(prefix).send_id, body);
    case Kind::ready_to_send:
      return offer_arrived(peer, header, read_prefix<ReadyToSend>(prefix), body);
    case Kind::finished:
      return finished_arrived(peer, read_prefix<SendId>(prefix).send_id);
    case Kind::clear_to_send:
      return clear_to_send_arrived(peer, read_prefix<ClearToSend>(prefix));
    case Kind::clear_to_put:
      return clear_to_put_arrived(peer, read_prefix<ClearToPut>(prefix), body);
    case Kind::clear_to_share:
      return clear_to_share_arrived(peer, header, read_prefix<ClearToPut>(prefix));
    case Kind::data:
      return data_arrived(peer, read_prefix<Data>(prefix), body);
    case Kind::placed:
      return placed_arrived(peer, header, read_prefix<Placed>(prefix));
    case Kind::cancel:
      return cancel_arrived(peer, header, read_prefix<SendId>(prefix).send_id);
    case Kind::cancelled:
      return cancelled_arrived(peer, read_prefix<SendId>(prefix).send_id);
    case Kind::announce_all:
      return peers_[peer].announce_all(true);
    case Kind::announce_long:
      return peers_[peer].announce_all(false);
    case Kind::hold:
      return hold_arrived(peers_[peer], header.context);
    case Kind::resume:
      return resume_arrived(peers_[peer], header.context, read_prefix<Resume>(prefix).grant);
    case Kind::failure:
      return failure_arrived(peer, header, read_prefix<FailureNotice>(prefix), body);
    case Kind::tell_end:
      return tell_end_arrived(peer);
    case Kind::good_bye:
      return good_bye_arrived(peer, header);
    case Kind::broken_off:
      throw Error(ErrorClass::other,
                  fmt::format("it does not take messages of this process any more: {}", sentence_in(body)));
  }
  services_.handle(peer, header, prefix, body);  // check_form() has found a service with this kind
}

void Engine::look_at_watches() noexcept {
  while (Watch* const watch = watches_.find([](const Watch& each) { return each.ended(); })) {
    try {
      ready_.push_back(watch->waiter);
    } catch (const std::bad_alloc&) {
      return;  // the next round checks it again
    }
    List<Watch>::remove(*watch);
    watch->notice.take_down();  // the thread that makes this progress wakes a thread that still sleeps for the word
  }
}

/// Adds the coroutine that waits for this completed request to `ready_`.
void Engine::make_ready(Request& request) noexcept {
  try {
    ready_.push_back(request.waiter);
    request.waiter = nullptr;
  } catch (const std::bad_alloc&) {
    unlisted_ready_ = true;  // resume_unlisted() finds the request by its waiter
  }
}

/// Resumes the coroutines that were not added to `ready_` for lack of memory.
void Engine::resume_unlisted() noexcept {
  const auto waited_for = [](const Request& request) {
    return request.mark == Request::alive && request.done && request.waiter;
  };
  unlisted_ready_ = false;
  for (;;) {
    Request* request = send_pool_.find(waited_for);
    if (request == nullptr) request = receive_pool_.find(waited_for);
    if (request == nullptr) return;
    std::exchange(request->waiter, nullptr).resume();
  }
}

void Engine::wake_sleepers() noexcept {
  if (lanes_ != nullptr) lanes_->wake_sleepers();
}

void Engine::put_up_notices() noexcept {
  watches_.find([](const Watch& each) { return each.notice.put_up(), false; });
}

void Engine::take_down_notices() noexcept {
  watches_.find([](const Watch& each) { return each.notice.take_down(), false; });
}

void Engine::resume_ready() noexcept {
  // A resumed coroutine may complete operations for which others wait; these resume in the next round.
  std::vector<std::coroutine_handle<>> now = std::exchange(ready_, std::exchange(spare_, {}));
  for (const auto handle : now) handle.resume();
  now.clear();
  if (now.capacity() > spare_.capacity()) spare_ = std::move(now);  // its memory, for the next round
  if (unlisted_ready_) [[unlikely]]
    resume_unlisted();
}

bool Engine::anything_ready() noexcept {
  for (transport::Device* device : devices_) {
    if (device->ready()) return true;
  }
  return !ready_.empty() || watches_.find([](const Watch& each) { return each.ended(); }) != nullptr;
}

// ---- waiting

/// Polls the watched words, and less often the devices, because most collective operations on one node complete with a
/// word in shared memory. Gives up after a number of polls, as the spinning of a blocking operation does.
void Engine::look_for(const Request& request) noexcept {
  constexpr unsigned most_looks = 256, looks_per_round = 8;
  const unsigned most = policy_.shared_cores ? 0 : std::min(policy_.spins, most_looks);
  for (unsigned looks = 0; looks < most && !request.done; ++looks) {
    if (Watch* const watch = watches_.find([](const Watch& each) { return each.reached(); })) {
      List<Watch>::remove(*watch);
      watch->notice.take_down();
      watch->waiter.resume();
      looks = 0;
    } else if (looks % looks_per_round == looks_per_round - 1) {
      progress();
    } else {
      cpu_relax();
    }
  }
}

/// Notifies the progress thread, if there is one: it has left the lane to the waiting call.
void Engine::wait_ended() const noexcept {
  ProgressThread::wait_ended(*this);
}

void Engine::rest_long(Rest kind, bool waits) noexcept {
  bool slept = false;
  if (lanes_ != nullptr) {
    slept = lanes_->rest(*this, kind);
  } else if (kind == Rest::spin) {
    cpu_relax();
  } else {
    sched_yield();
  }
  if (kind != Rest::spin) rested(slept, waits);
}

void Engine::drain(const std::function<bool()>& gives_up, bool last) {
  draining_ = draining_ || last;
  wait_until([&] { return (active_sends_ == 0 && flushed()) || (gives_up && gives_up()); }, {&sends_awaited, nullptr});
}

bool Engine::flushed() noexcept {
  return handed_over() && std::ranges::all_of(devices_, [](transport::Device* device) { return device->drained(); });
}

bool Engine::handed_over() noexcept {
  bool all = waiting_peers_.empty();
  if (active_sends_ == 0) return all;
  for_each_send([&](const SendRequest& send) { all = all && send.unanswered(); });
  return all;
}

}  // namespace bowline::proto
