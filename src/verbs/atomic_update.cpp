// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/atomic_update.hpp"

#include <cstring>

#include "base/failure.hpp"
#include "verbs/verbs_device.hpp"

namespace bowline::verbs {
namespace {

/// The new value of the number.
std::uint64_t apply(const transport::RemoteAtomic& what, std::uint64_t to) noexcept {
  switch (what.kind) {
    case transport::AtomicKind::add:
      return to + what.operand;
    case transport::AtomicKind::bit_and:
      return to & what.operand;
    case transport::AtomicKind::bit_or:
      return to | what.operand;
    case transport::AtomicKind::bit_xor:
      return to ^ what.operand;
    case transport::AtomicKind::swap:
    case transport::AtomicKind::compare_swap:
      break;
  }
  return what.operand;
}

}  // namespace

bool AtomicUpdate::loops() const noexcept {
  return what_.kind != transport::AtomicKind::add && what_.kind != transport::AtomicKind::compare_swap;
}

Waiting::Advance AtomicUpdate::advance() noexcept {
  if (under_way_ || !connection_.outbox().has_room()) return Advance::blocked;
  WorkPool& works = device_.works();
  SendWork* const work = works.take(connection_);
  if (work == nullptr) return Advance::starved;
  if (works.make_slot(*work, sizeof found_) == nullptr) {
    works.give_back(*work);
    return Advance::starved;
  }
  const bool adds = what_.kind == transport::AtomicKind::add;
  work->request.opcode = adds ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_ATOMIC_CMP_AND_SWP;
  work->request.wr.atomic = {.remote_addr = place_.address,
                             .compare_add = adds      ? what_.operand
                                            : loops() ? expected_
                                                      : what_.compare,
                             .swap = apply(what_, expected_),
                             .rkey = place_.key};
  work->copy_to = reinterpret_cast<std::byte*>(&found_);
  work->operation = this;
  under_way_ = true;
  connection_.outbox().queue(*work);
  return loops() ? Advance::blocked : Advance::whole;
}

void AtomicUpdate::ended(const Error* failure) noexcept {
  under_way_ = false;
  if (failure == nullptr && loops() && found_ != expected_) {
    expected_ = found_;
    return;  // the connection calls advance() again
  }
  finish(failure);
}

void AtomicUpdate::finish(const Error* failure) noexcept {
  if (linked()) List<Waiting>::remove(*this);
  if (failure == nullptr && old_ != nullptr) std::memcpy(old_, &found_, sizeof found_);
  transport::Operation& operation = operation_;
  const Failure why = failure == nullptr ? Failure() : Failure(*failure);
  --device_.notes().accesses;
  device_.updates().destroy(this);
  operation.ended(why.get());
}

}  // namespace bowline::verbs
