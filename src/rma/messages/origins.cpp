// SPDX-License-Identifier: BSD-3-Clause
#include "rma/messages/origins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "dtype/construction/encoding.hpp"
#include "dtype/op.hpp"
#include "dtype/predefined.hpp"
#include "proto/checks.hpp"
#include "rma/messages/window_service.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

constexpr std::size_t longest_answer = proto::longest_told - sizeof(Part);
constexpr std::size_t max_swap = 32;  // bytes of the longest element that can be swapped
constexpr std::uint64_t longest_encoding = std::uint64_t{1} << 32;

transport::Header header_of(const Window& window) noexcept {
  return {.context = window.context(), .source = window.rank(), .tag = 0};
}

/// A sentence that fits into a message.
std::span<const std::byte> sentence_of(const Failure& failure) noexcept {
  constexpr std::size_t longest = 900;
  const std::string_view text(failure->what());
  return std::as_bytes(std::span(text.substr(0, longest)));
}

bool is_accumulate(Action action) noexcept {
  return action == Action::accumulate || action == Action::get_accumulate;
}

}  // namespace

Origins::~Origins() {
  ending_ = true;
  while (!waiting_.empty()) waiting_.front().watch.waiter.resume();
}

Origin& Origins::origin(int rank) {
  std::unique_ptr<Origin>& known = all_[rank];
  if (known == nullptr) known = std::make_unique<Origin>(rank);
  return *known;
}

// ---- datatypes

void Origins::type_arrived(int rank, const proto::Arrival& message) {
  const auto part = message.read<TypePart>();
  Origin& from = origin(rank);
  if (part.slot >= type_slots) throw message.wrong(fmt::format("it has a datatype for slot {}", part.slot));
  if (part.offset == 0) {
    from.encoding.clear();
    from.encoded_slot = part.slot;
  }
  if (part.slot != from.encoded_slot || part.offset != from.encoding.size() || part.bytes > longest_encoding ||
      message.body.empty() || message.body.size() > part.bytes - part.offset)
    throw message.wrong(fmt::format("its {} bytes from {} on do not continue the encoding of a datatype of {}",
                                    message.body.size(), part.offset, part.bytes));
  from.encoding.insert(from.encoding.end(), message.body.begin(), message.body.end());
  if (from.encoding.size() < part.bytes) return;
  dtype::TypeRef type = dtype::decode(from.encoding);
  from.encoding = {};
  if (from.types.empty()) from.types.resize(type_slots);
  from.types[part.slot] = std::move(type);
}

const dtype::Datatype& Origins::type_of(const Origin& origin, const proto::Arrival& message, TypeName name) const {
  const auto number = static_cast<std::uint16_t>(name);
  if (number < dtype::element_count) return dtype::type_of(static_cast<dtype::Element>(number));
  const std::size_t slot = std::size_t{number} - first_slot;
  if (number < first_slot || slot >= origin.types.size() || !origin.types[slot])
    throw message.wrong(fmt::format("it names the datatype {}, which there is not", number));
  return *origin.types[slot];
}

// ---- operations

/// The target's side of an operation. Throws unless its bytes can be counted.
TargetData Origins::place_of(const Origin& origin, const proto::Arrival& message, const OperationHead& head) const {
  const dtype::Datatype& type = type_of(origin, message, head.type);
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::ptrdiff_t>::max());
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(head.count, std::uint64_t{type.size()}, &bytes) || bytes > most || bytes == 0)
    throw message.wrong(fmt::format("it is about {} elements of {} bytes", head.count, type.size()));
  if (is_accumulate(head.action) && head.op >= dtype::operator_count)
    throw message.wrong(fmt::format("it names the operator {}", head.op));
  return {head.displacement, head.count, &type};
}

void Origins::operation_arrived(int rank, const proto::Arrival& message) {
  const auto head = message.read<OperationHead>();
  Origin& from = origin(rank);
  if (from.incoming != nullptr) throw message.wrong("the data of the operation before are not complete");
  if (head.action > Action::get_accumulate) throw message.wrong("it is no operation that there is");
  const TargetData place = place_of(from, message, head);
  const bool fetches = head.action == Action::get || head.action == Action::get_accumulate;
  const bool changes =
      head.action == Action::get_accumulate && static_cast<dtype::Operator>(head.op) != dtype::Operator::no_op;
  if ((head.answer_id != proto::no_id) != fetches || (head.has_data == 0 && (!fetches || changes)) ||
      (head.has_data != 0 && head.action == Action::get) ||
      message.body.size() != (head.has_data != 0 && head.in_parts == 0 ? place.bytes() : 0))
    throw message.wrong("its parts do not belong together");
  execute(from, message, head, place);
}

/// Executes an operation, or begins to; an error is for its origin.
void Origins::execute(Origin& origin, const proto::Arrival& message, const OperationHead& head,
                      const TargetData& place) {
  const dtype::Datatype* element = nullptr;
  std::byte* base = nullptr;
  try {
    base = window_.locate(place);
    if (is_accumulate(head.action))
      element = &accumulated(dtype::op_of(static_cast<dtype::Operator>(head.op)), *place.type);
  } catch (const Error& error) {
    base = nullptr;
    fail(origin, head, Failure(error));
  }
  if (head.in_parts != 0) {
    origin.incoming = std::make_unique<Incoming>(window_, message.origin, head, place, base, element);
    return;
  }
  if (base == nullptr) return;
  if (head.has_data == 0) return answer_with_data(message.origin, head, place, base, element);
  if (element == nullptr) return dtype::unpack(*place.type, message.body.data(), message.body.size(), base);
  std::array<std::byte, proto::longest_told> old;
  const bool fetches = head.action == Action::get_accumulate;
  const std::span<std::byte> former(old.data(), fetches ? place.bytes() : 0);
  const Exclusion exclusion = window_.exclusion(&window_.node().own());
  Accumulator(exclusion, dtype::op_of(static_cast<dtype::Operator>(head.op)), *element, *place.type, place.count, base)
      .apply(0, message.body, former);
  if (fetches) tell_answer(message.origin, head.answer_id, former);
}

/// Sends data of the window's memory: the answer to a get, or to an accumulate that changes nothing.
void Origins::answer_with_data(int process, const OperationHead& head, const TargetData& place, std::byte* base,
                               const dtype::Datatype* element) {
  const std::size_t bytes = place.bytes();
  if (element != nullptr) {  // atomic towards other accumulates
    auto old = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::byte* const memory = old.get();
    const Exclusion exclusion = window_.exclusion(&window_.node().own());
    Accumulator(exclusion, dtype::op_of(static_cast<dtype::Operator>(head.op)), *element, *place.type, place.count,
                base)
        .apply(0, {}, {memory, bytes});
    if (bytes <= longest_answer) return tell_answer(process, head.answer_id, {memory, bytes});
    return AnswerSend::begin(window_, process, head.answer_id, 0, {memory, bytes, &dtype::byte_type()}, std::move(old));
  }
  if (bytes > longest_answer)
    return AnswerSend::begin(window_, process, head.answer_id, 0, {base, place.count, place.type}, nullptr);
  std::array<std::byte, longest_answer> packed;
  dtype::pack(*place.type, place.count, base, packed.data());
  tell_answer(process, head.answer_id, {packed.data(), bytes});
}

void Origins::tell_answer(int process, std::uint64_t answer_id, std::span<const std::byte> data) {
  const Part part{.id = answer_id, .offset = 0};
  window_.service().tell(window_.engine().peer(process), RmaKind::answer, header_of(window_), proto::as_prefix(part),
                         data);
}

void Origins::swap_arrived(int rank, const proto::Arrival& message) {
  const auto head = message.read<OperationHead>();
  Origin& from = origin(rank);
  if (from.incoming != nullptr) throw message.wrong("the data of the operation before are not complete");
  const TargetData place = place_of(from, message, head);
  const std::size_t bytes = place.bytes();
  if (!place.type->predefined() || head.count != 1 || head.answer_id == proto::no_id ||
      message.body.size() != 2 * bytes || bytes > max_swap)
    throw message.wrong("its parts do not belong together");
  std::byte* base = nullptr;
  try {
    base = window_.locate(place);
  } catch (const Error& error) {
    return fail(from, head, Failure(error));
  }
  std::array<std::byte, max_swap> old;
  const Exclusion exclusion = window_.exclusion(&window_.node().own());
  Accumulator(exclusion, dtype::op_of(dtype::Operator::replace), *place.type, *place.type, 1, base)
      .compare_and_swap(message.body.data(), message.body.data() + bytes, old.data());
  tell_answer(message.origin, head.answer_id, {old.data(), bytes});
}

void Origins::data_arrived(int rank, const proto::Arrival& message) {
  const auto part = message.read<Part>();
  Origin& from = origin(rank);
  if (from.incoming == nullptr || part.offset != from.incoming->received() || message.body.empty() ||
      message.body.size() > from.incoming->bytes() - from.incoming->received())
    throw message.wrong(
        fmt::format("its {} bytes from {} on belong to no operation", message.body.size(), part.offset));
  from.incoming->take(message.body);
  if (from.incoming->complete()) from.incoming.reset();
}

/// Tells the origin why an operation has failed: in place of its data, or with the next `flushed`.
void Origins::fail(Origin& origin, const OperationHead& head, const Failure& why) {
  if (head.answer_id == proto::no_id) {
    if (origin.failure == nullptr) origin.failure = why;
    return;
  }
  const AnswerFailed failed{
      .answer_id = head.answer_id, .error_class = static_cast<std::int32_t>(why->error_class()), .unused = 0};
  const int process = window_.communicator().process(origin.rank);
  window_.service().tell(window_.engine().peer(process), RmaKind::failed, header_of(window_), proto::as_prefix(failed),
                         sentence_of(why));
}

// ---- synchronization

void Origins::flush_arrived(int rank) {
  answer_flush(origin(rank));
}

void Origins::answer_flush(Origin& origin) {
  tell_result(origin, RmaKind::flushed, std::exchange(origin.failure, {}));
}

void Origins::tell_result(const Origin& origin, proto::Kind kind, const Failure& failure) {
  const Outcome outcome{.error_class = failure == nullptr ? 0 : static_cast<std::int32_t>(failure->error_class()),
                        .unused = 0};
  const int process = window_.communicator().process(origin.rank);
  window_.service().tell(window_.engine().peer(process), kind, header_of(window_), proto::as_prefix(outcome),
                         failure == nullptr ? std::span<const std::byte>() : sentence_of(failure));
}

void Origins::lock_arrived(int rank, const proto::Arrival& message) {
  const auto lock = message.read<LockMessage>();
  Origin& from = origin(rank);
  const auto kind = static_cast<LockKind>(lock.kind);
  if ((kind != LockKind::shared && kind != LockKind::exclusive) || from.held != LockKind::none ||
      from.asked != LockKind::none)
    throw message.wrong("it asks for a lock that its sender has, or waits for");
  TicketLock& own = window_.node().own().lock;
  const std::uint64_t ticket = own.draw();
  from.asked = kind;
  if (proto::Watch::reached(own.word(kind), ticket)) {
    own.entered(kind, ticket);
    window_.node().changed();
    return grant(from, kind);
  }
  grant_later(rank, kind, ticket);
}

/// Grants the lock when its turn has come. If a process that shares the lock has ended, the turn may never come, and
/// the origin is told so.
Background Origins::grant_later(int rank, LockKind kind, std::uint64_t ticket) {
  struct Turn {
    proto::Engine& engine;
    proto::Watch& watch;
    bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> waiter) const noexcept {
      watch.waiter = waiter;
      engine.watch(watch);
    }
    void await_resume() const noexcept {}
  };
  TicketLock& own = window_.node().own().lock;
  proto::Watch watch(own.word(kind), ticket, window_.node().notice());
  watch.sharers = &window_.node();
  watch.member = NodeMemory::anyone;
  Waiting entry{watch};
  waiting_.push_back(entry);
  const Turn turn{window_.engine(), watch};
  co_await turn;
  List<Waiting>::remove(entry);
  if (ending_) co_return;
  if (!watch.reached()) {
    origin(rank).asked = LockKind::none;
    tell_result(origin(rank), RmaKind::locked, watch.failure);
    co_return;
  }
  own.entered(kind, ticket);
  window_.node().changed();
  grant(origin(rank), kind);
}

/// If the origin is lost, its lock is released at once.
void Origins::grant(Origin& origin, LockKind kind) {
  origin.asked = LockKind::none;
  origin.held = kind;
  if (origin.gone) return release(origin);
  tell_result(origin, RmaKind::locked, nullptr);
}

void Origins::unlock_arrived(int rank, const proto::Arrival& message) {
  const auto lock = message.read<LockMessage>();
  Origin& from = origin(rank);
  if (from.held == LockKind::none || static_cast<LockKind>(lock.kind) != from.held)
    throw message.wrong("it releases a lock that its sender does not have");
  if (from.incoming != nullptr) throw message.wrong("the data of the operation before are not complete");
  release(from);
  answer_flush(from);
}

void Origins::release(Origin& origin) noexcept {
  window_.node().own().lock.release(std::exchange(origin.held, LockKind::none));
  window_.node().changed();
}

void Origins::lost(int rank) noexcept {
  const auto known = all_.find(rank);
  if (known == all_.end() || known->second->gone) return;
  Origin& origin = *known->second;
  origin.gone = true;
  origin.incoming.reset();
  if (origin.held != LockKind::none) release(origin);
}

}  // namespace bowline::rma
