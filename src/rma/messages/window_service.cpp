// SPDX-License-Identifier: BSD-3-Clause
#include "rma/messages/window_service.hpp"

#include <fmt/format.h>

#include <new>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "dtype/cursor.hpp"
#include "proto/checks.hpp"
#include "proto/progress_thread.hpp"
#include "rma/messages/origins.hpp"
#include "rma/messages/rma_wire.hpp"
#include "rma/rma_request.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

using proto::any_length;
using proto::call;
using proto::longest_told;

constexpr std::size_t told_after(std::size_t prefix) noexcept {
  return longest_told - prefix;
}

/// Whether some member may reach this process by messages only. The result never changes for a window.
bool needs_service(const Window& window) noexcept {
  if (window.size() == 1) return false;
  const NodeMemory& node = window.node();
  const bool mapped = window.flavor() == Flavor::allocate || window.flavor() == Flavor::shared;
  return !node.shared() || node.members() < window.size() || only_messages() || (!mapped && !node.single_copy());
}

}  // namespace

const std::array<proto::MessageKind, 15> WindowService::forms{{
    {RmaKind::type,
     {"window_type", sizeof(TypePart), told_after(sizeof(TypePart)), true},
     &call<WindowService, &WindowService::type_arrived>},
    {RmaKind::operation,
     {"window_operation", sizeof(OperationHead), told_after(sizeof(OperationHead)), true},
     &call<WindowService, &WindowService::operation_arrived>},
    {RmaKind::swap,
     {"window_swap", sizeof(OperationHead), told_after(sizeof(OperationHead)), true},
     &call<WindowService, &WindowService::swap_arrived>},
    {RmaKind::data,
     {"window_data", sizeof(Part), any_length, true},
     &call<WindowService, &WindowService::data_arrived>},
    {RmaKind::flush, {"window_flush", 0, 0, true}, &call<WindowService, &WindowService::flush_arrived>},
    {RmaKind::lock, {"window_lock", sizeof(LockMessage), 0, true}, &call<WindowService, &WindowService::lock_arrived>},
    {RmaKind::unlock,
     {"window_unlock", sizeof(LockMessage), 0, true},
     &call<WindowService, &WindowService::unlock_arrived>},
    {RmaKind::complete, {"window_complete", 0, 0, true}, &call<WindowService, &WindowService::complete_arrived>},
    {RmaKind::describe, {"window_describe", 0, 0, true}, &call<WindowService, &WindowService::describe_arrived>},
    {RmaKind::answer,
     {"window_answer", sizeof(Part), any_length, true},
     &call<WindowService, &WindowService::answer_arrived>},
    {RmaKind::failed,
     {"window_failed", sizeof(AnswerFailed), told_after(sizeof(AnswerFailed)), true},
     &call<WindowService, &WindowService::failed_arrived>},
    {RmaKind::flushed,
     {"window_flushed", sizeof(Outcome), told_after(sizeof(Outcome)), true},
     &call<WindowService, &WindowService::flushed_arrived>},
    {RmaKind::locked,
     {"window_locked", sizeof(Outcome), told_after(sizeof(Outcome)), true},
     &call<WindowService, &WindowService::locked_arrived>},
    {RmaKind::post, {"window_post", 0, 0, true}, &call<WindowService, &WindowService::post_arrived>},
    {RmaKind::description,
     {"window_description", sizeof(Description), told_after(sizeof(Description)), true},
     &call<WindowService, &WindowService::description_arrived>},
}};

WindowService& WindowService::of(proto::Engine& engine) {
  return static_cast<WindowService&>(engine.services().of(RmaKind::operation));
}

void WindowService::add(Window& window) {
  windows_.insert_or_assign(window.context(), &window);
  if (!needs_service(window)) return;
  ++served_;
  proto::ProgressThread::operation_begun();
}

void WindowService::remove(Window& window) noexcept {
  if (windows_.erase(window.context()) > 0 && needs_service(window)) --served_;
}

AwaitedData& WindowService::await(Window& window, Target& target, const proto::Buffer& into, RmaRequest* request) {
  AwaitedData& made = *pool_.make(window, target, into, request);
  made.id = awaited_.add(made);
  if (made.id != proto::no_id) return made;
  pool_.destroy(&made);
  throw std::bad_alloc();
}

/// The engine's endpoint serves if it belongs to a network.
transport::Endpoint& WindowService::network_endpoint(int process) {
  transport::Endpoint& known = *engine_.peer(process).endpoint;
  if (known.limits().access != transport::RemoteAccess::none || !connect_) return known;
  std::unique_ptr<transport::Endpoint>& own = endpoints_[process];
  if (own == nullptr) own = connect_(process);
  return own == nullptr ? known : *own;
}

// ---- the senders of arriving messages

WindowService::Sender WindowService::sender_of(const proto::Arrival& message) const {
  engine_.peer(message.origin);  // connects for the answer now, when an error changes nothing yet
  const auto found = windows_.find(message.header.context);
  if (found == windows_.end()) throw message.wrong(fmt::format("there is no window {:#x}", message.header.context));
  Window& window = *found->second;
  const int rank = message.header.source;
  if (rank >= window.size() || window.communicator().process(rank) != message.origin)
    throw message.wrong(fmt::format("its sender is not rank {} of the window", rank));
  return {window, rank};
}

AwaitedData& WindowService::awaited(const proto::Arrival& message, std::uint64_t id) const {
  AwaitedData* const found = awaited_.find(id);
  if (found == nullptr || found->target.process != message.origin)
    throw message.wrong(fmt::format("it answers {:#x}, for which that rank was not asked", id));
  return *found;
}

// ---- at the target

void WindowService::type_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  from.window.origins().type_arrived(from.rank, message);
}

void WindowService::operation_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  from.window.origins().operation_arrived(from.rank, message);
}

void WindowService::swap_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  from.window.origins().swap_arrived(from.rank, message);
}

void WindowService::data_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  from.window.origins().data_arrived(from.rank, message);
}

void WindowService::flush_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  from.window.origins().flush_arrived(from.rank);
}

void WindowService::lock_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  from.window.origins().lock_arrived(from.rank, message);
}

void WindowService::unlock_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  from.window.origins().unlock_arrived(from.rank, message);
}

void WindowService::complete_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  if (!from.window.exposure_ended(from.rank)) throw message.wrong("no exposure epoch for its sender is open");
}

void WindowService::describe_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  const Window::Described own = from.window.describe_to(message.origin);
  const transport::Header header{.context = from.window.context(), .source = from.window.rank(), .tag = 0};
  tell(engine_.peer(message.origin), RmaKind::description, header, proto::as_prefix(own.facts), own.key);
}

// ---- at the origin

/// The parts of an answer arrive in order.
void WindowService::answer_arrived(const proto::Arrival& message) {
  const auto part = message.read<Part>();
  AwaitedData& answer = awaited(message, part.id);
  const std::size_t bytes = answer.into.bytes();
  if (part.offset != answer.received || message.body.empty() || message.body.size() > bytes - answer.received)
    throw message.wrong(fmt::format("its {} bytes from {} on were not asked for, or have come before",
                                    message.body.size(), part.offset));
  dtype::Cursor cursor(*answer.into.type, answer.into.count, answer.into.base);
  cursor.seek(answer.received);
  cursor.unpack(message.body);
  answer.received += message.body.size();
  if (answer.received == bytes) end(answer, nullptr);
}

void WindowService::failed_arrived(const proto::Arrival& message) {
  const auto failed = message.read<AnswerFailed>();
  end(awaited(message, failed.answer_id), Failure::of([&] {
        return Error(static_cast<ErrorClass>(failed.error_class), proto::sentence_in(message.body));
      }));
}

/// The error goes to the request, if there is one; otherwise to the next call that completes operations.
void WindowService::end(AwaitedData& awaited, const Failure& why) noexcept {
  Target& target = awaited.target;
  RmaRequest* const request = awaited.request;
  awaited_.remove(awaited.id);
  pool_.destroy(&awaited);
  --target.answers_awaited;
  if (request != nullptr) return request->end(why);
  if (why != nullptr && target.failure == nullptr) target.failure = why;
}

void WindowService::flushed_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  const auto outcome = message.read<Outcome>();
  Target& target = from.window.target(from.rank);
  if (target.flushes_answered == target.flushes_sent) throw message.wrong("nothing was to be flushed");
  ++target.flushes_answered;
  if (outcome.error_class == 0 || target.failure != nullptr) return;
  target.failure = Failure::of(
      [&] { return Error(static_cast<ErrorClass>(outcome.error_class), proto::sentence_in(message.body)); });
}

void WindowService::locked_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  const auto outcome = message.read<Outcome>();
  Target& target = from.window.target(from.rank);
  if (target.locks_granted == target.locks_asked) throw message.wrong("no lock was asked for");
  if (outcome.error_class == 0) {
    ++target.locks_granted;
    return;
  }
  target.lost = Failure::of(
      [&] { return Error(static_cast<ErrorClass>(outcome.error_class), proto::sentence_in(message.body)); });
}

void WindowService::post_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  ++from.window.target(from.rank).posts;
}

void WindowService::description_arrived(const proto::Arrival& message) {
  const Sender from = sender_of(message);
  from.window.described(from.window.target(from.rank), message.read<Description>(), message.body);
}

// ---- lost processes

bool WindowService::awaits(const proto::Peer& peer) const noexcept {
  bool found = false;
  for_each([&](const Window& window) { found = found || window.awaits(peer.rank); });
  return found;
}

void WindowService::for_each_waiting(const std::function<void(const proto::Match&, int process)>& action) {
  for_each([&](const Window& window) {
    window.for_each_waiting([&](int rank) { action({window.context(), rank, proto::any_tag}, -1); });
  });
}

void WindowService::unheard(const proto::Peer& peer, const Failure& why) noexcept {
  awaited_.for_each([&](AwaitedData& each) {
    if (each.target.process == peer.rank) end(each, why);
  });
  for_each([&](Window& window) { window.lost(peer.rank, why); });
}

void WindowService::unanswered(const proto::Doomed& doomed, const Failure& why) noexcept {
  for_each([&](Window& window) {
    window.for_each_waiting([&](int rank) {
      const int process = window.communicator().process(rank);
      if (doomed(process, {window.context(), rank, proto::any_tag})) window.lost(process, why);
    });
  });
}

}  // namespace bowline::rma
