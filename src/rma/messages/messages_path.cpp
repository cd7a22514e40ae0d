// SPDX-License-Identifier: BSD-3-Clause
#include "rma/messages/messages_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "dtype/construction/encoding.hpp"
#include "proto/progress_thread.hpp"
#include "rma/messages/window_service.hpp"
#include "rma/rma_request.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

/// Longest data that travel in one message with the operation.
constexpr std::size_t longest_inline = proto::longest_told - sizeof(OperationHead);
constexpr std::size_t longest_type_part = proto::longest_told - sizeof(TypePart);

/// A send from the program's memory. Deletes itself at its end.
class DataSend final : public proto::SendObserver {
 public:
  DataSend(Target& target, RmaRequest* request) noexcept : target_(target), request_(request) {
    ++target_.parts_in_flight;
    if (request_ != nullptr) request_->begin();
  }
  void send_ended(const Error* failure) noexcept override {
    --target_.parts_in_flight;
    const Failure why = failure == nullptr ? Failure() : Failure(*failure);
    if (why != nullptr && target_.failure == nullptr) target_.failure = why;
    if (request_ != nullptr) request_->end(why);
    delete this;
  }

 private:
  Target& target_;
  RmaRequest* request_;
};

struct WaitForRoom {
  const Window& window;
  int rank;
};

proto::WaitDescription room_awaited(proto::Engine&, const void* what) {
  const auto& wait = *static_cast<const WaitForRoom*>(what);
  return {fmt::format("for room for an operation on rank {} of {}", wait.rank, wait.window.in_words()),
          WaitTargets::some_rank()};
}

}  // namespace

proto::Peer& MessagesPath::peer(const Target& target) const {
  return window_.engine().peer(target.process);
}

transport::Header MessagesPath::header() const noexcept {
  return {.context = window_.context(), .source = window_.rank(), .tag = 0};
}

/// Waits until all earlier messages to the target have been handed to the transport.
void MessagesPath::await_room(Target& target) {
  if (target.lost != nullptr) throw Error(*target.lost);
  proto::Peer& to = peer(target);
  if (!to.waiting()) return;
  const WaitForRoom wait{window_, target.rank};
  window_.engine().wait_until([&] { return !to.waiting() || target.lost != nullptr; }, {&room_awaited, &wait});
  if (target.lost != nullptr) throw Error(*target.lost);
}

// ---- datatypes

/// The name of a datatype in messages to this target. Sends the datatype first if the target does not have it. Does not
/// wait: another thread could give the slot to another datatype meanwhile.
TypeName MessagesPath::name_type(Target& target, const dtype::Datatype& type) {
  if (type.predefined()) return static_cast<TypeName>(type.element());
  const auto known = std::ranges::find_if(types_, [&](const dtype::TypeRef& each) { return each && &*each == &type; });
  unsigned slot = static_cast<unsigned>(known - types_.begin());
  if (known == types_.end()) {
    slot = std::exchange(next_slot_, (next_slot_ + 1) % type_slots);
    types_[slot] = dtype::TypeRef(type);
    window_.targets().for_each([slot](Target& each) { each.types_known &= ~(std::uint64_t{1} << slot); });
  }
  if ((target.types_known >> slot & 1) == 0) define(target, slot);
  return static_cast<TypeName>(first_slot + slot);
}

void MessagesPath::define(Target& target, unsigned slot) {
  const std::vector<std::byte> encoding = dtype::encode(*types_[slot]);
  for (std::size_t at = 0; at < encoding.size(); at += longest_type_part) {
    const std::size_t bytes = std::min(longest_type_part, encoding.size() - at);
    const TypePart part{.slot = slot, .unused = 0, .bytes = encoding.size(), .offset = at};
    window_.service().tell(peer(target), RmaKind::type, header(), proto::as_prefix(part),
                           std::span(encoding).subspan(at, bytes));
  }
  target.types_known |= std::uint64_t{1} << slot;
}

// ---- operations

/// Waits for room. From then until the operation is sent nothing may wait, so that the target knows the datatype and no
/// message of another thread comes between.
OperationHead MessagesPath::head(Target& target, Action action, const TargetData& place) {
  await_room(target);
  const TypeName type = name_type(target, *place.type);
  return {.displacement = place.displacement,
          .count = place.count,
          .answer_id = proto::no_id,
          .type = type,
          .action = action};
}

void MessagesPath::send(Target& target, proto::Kind kind, const OperationHead& head, std::span<const std::byte> body) {
  window_.service().tell(peer(target), kind, header(), proto::as_prefix(head), body);
  target.unflushed = true;
  window_.note_pending(target);
}

/// Sends an operation with the origin's data, in one message or in parts.
void MessagesPath::send_with_data(Target& target, OperationHead head, const proto::Buffer& data, RmaRequest* request) {
  head.has_data = 1;
  const std::size_t bytes = data.bytes();
  if (bytes <= longest_inline) {
    if (const std::byte* const run = data.run()) return send(target, RmaKind::operation, head, {run, bytes});
    std::array<std::byte, longest_inline> packed;
    dtype::pack(*data.type, data.count, data.base, packed.data());
    return send(target, RmaKind::operation, head, {packed.data(), bytes});
  }
  head.in_parts = 1;
  auto sending = std::make_unique<DataSend>(target, request);
  send(target, RmaKind::operation, head, {});
  // The observer deletes itself, also if the send cannot begin: then the target would wait for the data forever.
  DataSend& observer = *sending.release();
  try {
    window_.engine().send_part(peer(target), proto::control_header(header(), RmaKind::data), data, window_.context(), 0,
                               observer);
  } catch (...) {
    const Failure why = Failure::current();
    window_.engine().liveness().break_off(target.process, why);
    observer.send_ended(why.get());
    throw Error(*why);
  }
  proto::ProgressThread::operation_begun();
}

std::uint64_t MessagesPath::await_answer(Target& target, const proto::Buffer& into, RmaRequest* request) {
  const std::uint64_t id = window_.service().await(window_, target, into, request).id;
  ++target.answers_awaited;
  if (request != nullptr) request->begin();
  proto::ProgressThread::operation_begun();
  return id;
}

void MessagesPath::put(Target& target, const proto::Buffer& origin, const TargetData& place, RmaRequest* request) {
  send_with_data(target, head(target, Action::put, place), origin, request);
}

void MessagesPath::get(Target& target, const proto::Buffer& result, const TargetData& place, RmaRequest* request) {
  OperationHead ask = head(target, Action::get, place);
  ask.answer_id = await_answer(target, result, request);
  send(target, RmaKind::operation, ask, {});
}

void MessagesPath::accumulate(Target& target, const Accumulate& what, RmaRequest* request) {
  OperationHead ask = head(target, what.fetches() ? Action::get_accumulate : Action::accumulate, what.place);
  ask.op = static_cast<std::uint8_t>(what.op->predefined_as());
  if (what.fetches()) ask.answer_id = await_answer(target, what.result, request);
  if (what.has_data()) return send_with_data(target, ask, what.origin, request);
  send(target, RmaKind::operation, ask, {});
}

void MessagesPath::swap(Target& target, const Swap& what) {
  OperationHead ask = head(target, Action::get_accumulate, what.place);
  const std::size_t bytes = what.place.bytes();
  std::array<std::byte, 64> both;
  std::copy_n(what.compare, bytes, both.data());
  std::copy_n(what.origin, bytes, both.data() + bytes);
  ask.answer_id = await_answer(target, {what.result, 1, what.place.type}, nullptr);
  send(target, RmaKind::swap, ask, {both.data(), 2 * bytes});
}

// ---- completion and synchronization

void MessagesPath::begin_flush(Target& target) {
  if (!target.unflushed || target.lost != nullptr) return;
  await_room(target);
  target.unflushed = false;
  ++target.flushes_sent;
  window_.service().tell(peer(target), RmaKind::flush, header(), {});
}

bool MessagesPath::flushed(const Target& target) const noexcept {
  if (target.lost != nullptr) return true;
  return target.flushes_answered == target.flushes_sent && locally_done(target);
}

bool MessagesPath::locally_done(const Target& target) const noexcept {
  return (target.answers_awaited == 0 && target.parts_in_flight == 0) || target.lost != nullptr;
}

void MessagesPath::ask_for_lock(Target& target, LockKind kind) {
  await_room(target);
  ++target.locks_asked;
  const LockMessage message{.kind = static_cast<std::uint32_t>(kind), .unused = 0};
  window_.service().tell(peer(target), RmaKind::lock, header(), proto::as_prefix(message));
}

void MessagesPath::unlock(Target& target, LockKind kind) {
  if (target.lost != nullptr) return;
  await_room(target);
  target.unflushed = false;
  ++target.flushes_sent;
  const LockMessage message{.kind = static_cast<std::uint32_t>(kind), .unused = 0};
  window_.service().tell(peer(target), RmaKind::unlock, header(), proto::as_prefix(message));
}

void MessagesPath::tell_post(int rank) {
  Target& target = window_.target(rank);
  window_.service().tell(peer(target), RmaKind::post, header(), {});
}

void MessagesPath::tell_complete(Target& target) {
  window_.service().tell(peer(target), RmaKind::complete, header(), {});
}

void MessagesPath::ask_for_description(Target& target) {
  await_room(target);
  window_.service().tell(peer(target), RmaKind::describe, header(), {});
}

}  // namespace bowline::rma
