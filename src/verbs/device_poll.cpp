// SPDX-License-Identifier: BSD-3-Clause
// How a verbs device finds and handles what has happened.
#include <poll.h>

#include <cstring>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "verbs/verbs_device.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

constexpr const char* cannot_poll = "gives no completions";

/// Polls between looks at handshakes, which cost a system call. A device beside another one is polled less often.
constexpr unsigned rounds_between_looks(Role role) noexcept {
  return role == Role::everything ? 256 : 8;
}

}  // namespace

unsigned VerbsDevice::poll(transport::Sink& sink) noexcept {
  sink_ = &sink;
  notes_.happened = 0;
  if (!kept_.empty()) [[unlikely]]
    deliver_kept();
  poll_completions();
  if (notes_.has_duties()) attend();
  if (++rounds_ >= rounds_between_looks(adapter_.role()) || oob_.busy()) [[unlikely]]
    look_around();
  return notes_.happened;
}

unsigned VerbsDevice::poll_completions() noexcept {
  for (unsigned i = 0; i < found_count_; ++i) handle(found_[i], *found_in_);
  unsigned happened = std::exchange(found_count_, 0);
  std::array<ibv_wc, 16> completions;
  for (std::size_t each = 0; each < groups_.size(); ++each) {
    ReceiveGroup& group = *groups_[each];
    const int count = ibv_poll_cq(group.completions(), static_cast<int>(completions.size()), completions.data());
    for (int i = 0; i < count; ++i) handle(completions[static_cast<std::size_t>(i)], group);
    if (count < 0 && !adapter_ended_) [[unlikely]]
      adapter_.events().end(cannot_poll);
    happened += static_cast<unsigned>(std::max(count, 0));
  }
  return happened;
}

/// The lowest bit of the identifier tells a buffer of the receive queue from a request.
void VerbsDevice::handle(const ibv_wc& completion, ReceiveGroup& group) noexcept {
  if ((completion.wr_id & 1) != 0) return receive(completion, group);
  SendWork& work = *reinterpret_cast<SendWork*>(completion.wr_id);
  // A request of a queue pair that is destroyed may still be reported.
  if (work.connection == nullptr || work.connection->link().pair_number() != completion.qp_num) [[unlikely]]
    return;
  if (completion.status == IBV_WC_SUCCESS) [[likely]]
    return work.connection->completed(work);
  work.connection->failed(work, completion.status);
}

void VerbsDevice::receive(const ibv_wc& completion, ReceiveGroup& group) noexcept {
  const auto number = static_cast<std::uint32_t>(completion.wr_id >> 1);
  const std::span message(group.receives().memory(number),
                          completion.status == IBV_WC_SUCCESS ? completion.byte_len : 0);
  notes_.bytes.received(message.size());
  WireHeader wire{};
  if (message.size() >= sizeof wire) [[likely]] {
    std::memcpy(&wire, message.data(), sizeof wire);
    Connection* const from = wire.link < connections_.size() ? connections_[wire.link].get() : nullptr;
    if (from != nullptr && from->link().pair_number() == completion.qp_num) [[likely]] {
      deliver_or_lose(*from, wire, message.subspan(sizeof wire));
    }
  }
  group.receives().give_back(number);
}

void VerbsDevice::deliver_or_lose(Connection& from, const WireHeader& wire, std::span<const std::byte> rest) noexcept {
  try {
    deliver(from, wire, rest);
  } catch (...) {
    const Failure why = Failure::current();
    from.lose(why->what());
    if (sink_ != nullptr) sink_->broken(from.peer(), why);
  }
}

/// Delivers a message. Keeps it if the sink cannot take it now; then every later message, of any peer, is kept behind
/// it.
void VerbsDevice::deliver(Connection& from, const WireHeader& wire, std::span<const std::byte> rest) {
  const bool is_message = from.arrived(wire);
  if (sink_ == nullptr || (!is_message && wire.kind != WireKind::bye)) {
    if (wire.kind == WireKind::bye) from.set_left();
    return;
  }
  if (wire.prefix_bytes > rest.size() || wire.prefix_bytes > max_prefix)
    throw Error(ErrorClass::intern, "a message has come whose prefix is longer than the message");
  const auto prefix = rest.first(wire.prefix_bytes);
  const auto body = rest.subspan(wire.prefix_bytes);
  if (kept_.empty()) [[likely]] {
    if (!is_message) return from.set_left();
    try {
      sink_->arrived(from.peer(), wire.message, prefix, body);
      note_delivery();
      from.taken();
      return;
    } catch (const transport::NotYet&) {
    }
  }
  kept_.push_back({&from, wire.kind, wire.message, prefix.size(), {rest.begin(), rest.end()}});
}

void VerbsDevice::deliver_kept() noexcept {
  try {
    while (!kept_.empty()) {
      const Kept& message = kept_.front();
      Connection& from = *message.connection;
      if (message.kind == WireKind::bye) {
        from.set_left();
      } else {
        const std::span<const std::byte> bytes(message.bytes);
        sink_->arrived(from.peer(), message.header, bytes.first(message.prefix_bytes),
                       bytes.subspan(message.prefix_bytes));
        note_delivery();
        from.taken();
      }
      kept_.pop_front();
    }
  } catch (const transport::NotYet&) {
    // The message stays the first in kept_.
  }
}

/// Does the work that completions have left in the notes.
void VerbsDevice::attend() noexcept {
  std::erase_if(notes_.roomy, [](Connection* each) { return each->outbox().use_room(); });
  std::erase_if(notes_.returning_credits, [](Connection* each) { return each->outbox().return_credits(); });
  for (std::size_t i = 0; i < notes_.cut.size(); ++i) contact_again(*notes_.cut[i]);
  notes_.cut.clear();
  // Ending operations may break further connections.
  for (std::size_t i = 0; i < notes_.broken.size(); ++i) notes_.broken[i]->end_all();
  notes_.broken.clear();
}

void VerbsDevice::look_around() noexcept {
  rounds_ = 0;
  if (!adapter_ended_) look_at_adapter();
  oob_.progress();
  if (manager_ != nullptr) {
    manager_->progress();
    if (!notes_.joining.empty()) inquire();
  }
  if (notes_.has_duties()) attend();
}

/// Reads the adapter's events. If the adapter is dead, all peers are lost, and its descriptors, which may stay
/// readable, wake nobody any more.
void VerbsDevice::look_at_adapter() noexcept {
  AdapterEvents& events = adapter_.events();
  events.read();
  if (!events.has_ended()) return;
  adapter_ended_ = true;
  for (const int each : {channel_->fd, events.descriptor(), events.end_descriptor()}) oob_.unwatch(each);
  for (const auto& connection : connections_) {
    oob_.forget(connection->peer());
    connection->lose(events.why());
  }
}

/// Takes the notifications of completions from the channel.
void VerbsDevice::disarm() noexcept {
  ibv_cq* queue = nullptr;
  void* context = nullptr;
  while (library().get_cq_event(channel_.get(), &queue, &context) == 0) library().ack_cq_events(queue, 1);
}

/// Arms the completion queues, so that the next completion wakes a sleeper. Returns true if there is a completion
/// already, or if the queues cannot be armed.
bool VerbsDevice::has_completions() noexcept {
  disarm();
  for (const auto& group : groups_) {
    if (ibv_req_notify_cq(group->completions(), 0) != 0) {
      adapter_.events().end("refuses to tell of completions");
      return true;
    }
    // Completions that have come before the queue was armed wake nobody.
    const int count = ibv_poll_cq(group->completions(), static_cast<int>(found_.size()), found_.data());
    if (count < 0) adapter_.events().end(cannot_poll);
    found_count_ = static_cast<unsigned>(std::max(count, 0));
    found_in_ = group.get();
    if (count != 0) return true;
  }
  return false;
}

bool VerbsDevice::ready() noexcept {
  if (!kept_.empty() || notes_.has_duties() || found_count_ > 0 || oob_.busy()) return true;
  if (!adapter_ended_ && has_completions() && !adapter_.events().has_ended()) return true;
  pollfd descriptor{oob_.descriptor(), POLLIN, 0};
  if (adapter_.events().has_ended() == adapter_ended_ && ::poll(&descriptor, 1, 0) == 0) return false;
  rounds_ = rounds_between_looks(adapter_.role());  // the next poll looks at handshakes and at the adapter
  return true;
}

}  // namespace bowline::verbs
