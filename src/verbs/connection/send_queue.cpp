// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/send_queue.hpp"

#include <cstring>
#include <utility>

namespace bowline::verbs {
namespace {

/// The completion of every so many requests is reported; a greater number costs less, a smaller number frees slots
/// sooner.
constexpr unsigned signal_every = 16;
static_assert(signal_every <= send_depth / 4);

}  // namespace

void SendQueue::push(SendWork& work) noexcept {
  ++unsignalled_;
  if (work.operation != nullptr || work.copy_to != nullptr || unsignalled_ >= signal_every || works_.is_scarce()) {
    work.request.send_flags |= IBV_SEND_SIGNALED;
    unsignalled_ = 0;
  }
  const std::uint32_t length = work.request.num_sge == 0 ? 0 : work.run.length;
  is_read(work) ? notes_.bytes.received(length) : notes_.bytes.sent(length);
  under_way_.push_back(work);
  ++count_;
  work.request.next = nullptr;
  if (first_queued_ == nullptr) {
    first_queued_ = &work;
  } else {
    last_queued_->request.next = &work.request;
  }
  last_queued_ = &work;
}

void SendQueue::report_next() noexcept {
  unsignalled_ = signal_every;
}

int SendQueue::flush(const PeerLink& link) noexcept {
  SendWork* const first = std::exchange(first_queued_, nullptr);
  return first == nullptr ? 0 : link.post(first->request);
}

// ---- the end of requests

void SendQueue::complete(SendWork& reported, ArrivalProof& arrival) noexcept {
  if (arrival.by_completion()) [[likely]] {
    while (&under_way_.front() != &reported) finish(under_way_.front());
    return finish(reported);
  }
  for (bool last = false; !last;) {
    SendWork& done = ArrivalProof::oldest_ended(under_way_, reported);
    last = &done == &reported;
    arrival.note(done);
    finish(done);
  }
}

/// Takes a completed request out of the list of requests under way.
void SendQueue::finish(SendWork& done) noexcept {
  List<SendWork>::remove(done);
  --count_;
  if (done.copy_to != nullptr) std::memcpy(done.copy_to, done.slot->memory, done.run.length);
  end(done, nullptr);
}

void SendQueue::end(SendWork& work, const Error* failure) noexcept {
  transport::Operation* const operation = work.operation;
  works_.give_back(work);
  if (operation == nullptr) return;
  ++notes_.happened;
  operation->ended(failure);
}

void SendQueue::end_all(const Error& failure) noexcept {
  while (!under_way_.empty()) {
    --count_;
    end(under_way_.pop_front(), &failure);
  }
}

bool SendQueue::ends_proven(const ArrivalProof& arrival) noexcept {
  return arrival.by_completion() ? unsignalled_ == 0 : arrival.comes_with(under_way_);
}

std::uint32_t SendQueue::oldest_message(std::uint32_t next) noexcept {
  const SendWork* const oldest = under_way_.find([](const SendWork& work) { return work.is_message; });
  return oldest == nullptr ? next : oldest->sequence;
}

// ---- a new queue pair

/// A message that was received proves that everything before it in the send queue was executed. Reads are repeated in
/// any case, because their data may be lost; writes that may have been executed are repeated, too: as long as a write
/// has not completed, nobody relies on the contents of its target. Requests of the connection's own only served the
/// queue pair that is gone. Whether an atomic operation was executed cannot be known.
void SendQueue::repeat(std::uint32_t received, List<SendWork>& ended) noexcept {
  List<SendWork> before;
  before.append(under_way_);
  count_ = 0;
  unsignalled_ = 0;
  unsigned count = 0, executed = 0;
  before.find([&](const SendWork& work) {
    ++count;
    if (work.is_message && static_cast<std::int32_t>(work.sequence - received) < 0) executed = count;
    return false;
  });
  for (unsigned i = 0; i < count; ++i) {
    SendWork& work = before.pop_front();
    const bool done = i < executed && !is_read(work);
    if (done || work.is_own || is_atomic(work)) {
      ended.push_back(work);
    } else {
      work.request.send_flags &= static_cast<unsigned>(IBV_SEND_INLINE);
      push(work);
    }
  }
}

}  // namespace bowline::verbs
