// SPDX-License-Identifier: BSD-3-Clause
// What the completion of a request says of those before it, and of their arrival.
//
// InfiniBand and RoCE complete requests in order, and only when the peer has them. On iWARP the completion of a send or
// a write says only that its data are not needed here any more, and that of a read that everything before the read has
// arrived (RFC 5040, 5.5). Some adapters (siw) complete what follows a read before the read.
#include <cstring>
#include <utility>

#include "verbs/connection/connection.hpp"
#include "verbs/verbs_device.hpp"

namespace bowline::verbs {
namespace {

bool is_read(const SendWork& work) noexcept {
  return work.request.opcode == IBV_WR_RDMA_READ;
}

}  // namespace

void Connection::completed(SendWork& work) noexcept {
  failing_ = false;
  if (device_.adapter().completion_proves_arrival()) [[likely]] {
    while (&in_flight_.front() != &work) finish(in_flight_.front());
    finish(work);
  } else {
    completed_out_of_order(work);
  }
  if (!waiting_.empty() && !std::exchange(noted_room_, true)) device_.note_room(*this);
}

/// Takes a completed request out of those under way.
void Connection::finish(SendWork& done) noexcept {
  List<SendWork>::remove(done);
  --in_flight_count_;
  if (done.copy_to != nullptr) std::memcpy(done.copy_to, done.slot->memory, done.run.length);
  transport::Operation* const operation = done.operation;
  device_.works().give_back(done);
  if (operation == nullptr) return;
  device_.note_ended();
  operation->ended(nullptr);
}

/// Every read is reported by itself, so those before this request stay under way.
void Connection::completed_out_of_order(SendWork& work) noexcept {
  for (bool last = false; !last;) {
    SendWork* const done = in_flight_.find([&](SendWork& each) {
      if (&each == &work || !is_read(each)) return true;
      each.overtaken = true;
      return false;
    });
    last = done == &work;
    note_unproven(*done);
    finish(*done);
  }
}

void Connection::note_unproven(const SendWork& done) noexcept {
  if (is_read(done)) {
    if (!done.overtaken) unproven_ = Unproven::nothing;
  } else if (done.request.opcode == IBV_WR_RDMA_WRITE) {
    unproven_ = Unproven::writes;
  } else if (unproven_ == Unproven::nothing) {
    unproven_ = Unproven::messages;
  }
}

/// Whether the completion of what is under way will prove that everything has arrived.
bool Connection::ends_proven() noexcept {
  if (device_.adapter().completion_proves_arrival()) return unsignalled_ == 0;
  if (in_flight_.empty()) return unproven_ == Unproven::nothing;
  return is_read(in_flight_.back());
}

/// Reads of no bytes would do on iWARP, too, but not every adapter executes them (siw reads what a former request
/// named).
bool Connection::make_proof(SendWork& work) noexcept {
  if (device_.adapter().completion_proves_arrival()) {
    work.request.opcode = IBV_WR_RDMA_WRITE;
    work.request.num_sge = 0;
    work.request.wr.rdma = {};
    return true;
  }
  work.request.opcode = IBV_WR_RDMA_READ;
  work.request.wr.rdma = {their_probe_, their_probe_key_};
  return device_.works().make_slot(work, probe_bytes) != nullptr;
}

/// Whether a message has completed that the peer has not received.
bool Connection::may_be_lost(const Hello& theirs) noexcept {
  const SendWork* const oldest = in_flight_.find([](const SendWork& work) { return work.is_message; });
  const std::uint32_t first = oldest == nullptr ? sent_ : oldest->sequence;
  return static_cast<std::int32_t>(theirs.received - first) < 0;
}

}  // namespace bowline::verbs
