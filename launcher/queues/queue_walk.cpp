// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/queue_walk.hpp"

#include <map>
#include <utility>

#include "launcher/queues/memory_reader.hpp"
#include "launcher/queues/operation_reader.hpp"

namespace bowline::launcher {
namespace {

using State = PendingMessage::State;
/// Messages with their contexts.
using Found = std::vector<std::pair<std::uint32_t, PendingMessage>>;

State state_of_kind(std::uint64_t kind) noexcept {
  if (kind == QueueRecord::kind_announced) return State::unfetched;
  return kind == QueueRecord::kind_failure ? State::failed : State::eager;
}

class QueueWalk {
 public:
  explicit QueueWalk(const ProcessMemory& memory) : operations_(memory) {}

  MessageQueues read() {
    std::vector<std::uint64_t> engines;
    reader_.settle("the list of lanes", [&] { engines = reader_.addresses(record_.lanes); });
    for (const std::uint64_t engine : engines) read_engine(engine);
    MessageQueues all{.rank = record_.rank, .ranks = record_.ranks};
    for (auto& [context, queues] : contexts_) all.contexts.push_back(std::move(queues));
    return all;
  }

 private:
  void read_engine(std::uint64_t engine);
  void read_match_queue(std::uint64_t queue, Found& posted, Found& unexpected) const;
  void read_filled(std::uint64_t slots, Found& found) const;
  void read_sends(std::uint64_t sends, Found& found) const;
  PendingMessage message_in(const ObjectCopy& object) const;

  /// Runs `read`, with a Found that is empty at each attempt, and adds what it finds to `kind` of its context.
  template <class Read>
  void gather(const char* what, std::vector<PendingMessage> ContextQueues::*kind, Read read) {
    Found found;
    reader_.settle(what, [&] {
      found.clear();
      read(found);
    });
    add(found, kind);
  }
  void add(const Found& found, std::vector<PendingMessage> ContextQueues::*kind) {
    for (const auto& [context, message] : found) {
      const auto [place, is_new] = contexts_.try_emplace(context);
      if (is_new) static_cast<SeenContext&>(place->second) = operations_.communicators().describe(context);
      (place->second.*kind).push_back(operations_.complete(context, message));
    }
  }

  OperationReader operations_;
  const QueueRecord& record_ = operations_.record();
  const MemoryReader& reader_ = operations_.memory();
  std::map<std::uint32_t, ContextQueues> contexts_;
};

void QueueWalk::read_engine(std::uint64_t engine) {
  const QueueRecord::EngineLayout& layout = record_.engine;
  gather("the list of matched receives", &ContextQueues::receives,
         [&](Found& found) { read_filled(engine + layout.filled, found); });
  for (const std::uint32_t offset : {layout.queues, layout.foreign_queues}) {
    std::vector<std::uint64_t> queues;
    reader_.settle("the list of queues", [&] { queues = reader_.addresses(engine + offset); });
    for (const std::uint64_t queue : queues) {
      Found posted, unexpected;
      reader_.settle("a queue", [&] {
        posted.clear();
        unexpected.clear();
        read_match_queue(queue, posted, unexpected);
      });
      add(posted, &ContextQueues::receives);
      add(unexpected, &ContextQueues::unexpected);
    }
  }
  gather("the list of sends", &ContextQueues::sends, [&](Found& found) { read_sends(engine + layout.sends, found); });
}

void QueueWalk::read_match_queue(std::uint64_t queue, Found& posted, Found& unexpected) const {
  const QueueRecord::MatchQueueLayout& layout = record_.match_queue;
  const auto context = static_cast<std::uint32_t>(reader_.object(queue, layout.bytes).number(layout.context));
  const QueueRecord::RequestLayout& receive = record_.receive.request;
  reader_.each(queue + layout.posted, record_.list, receive.link, receive.bytes, [&](const ObjectCopy& object) {
    const bool is_posted = object.number(receive.mark) == receive.alive && object.number(receive.context) == context;
    if (!is_posted) throw Inconsistent{};
    posted.emplace_back(context, operations_.receive_in(object, State::posted));
  });
  const QueueRecord::UnexpectedLayout& message = record_.unexpected;
  reader_.each(queue + layout.unexpected, record_.list, message.link, message.bytes, [&](const ObjectCopy& object) {
    if (object.number(message.context) != context) throw Inconsistent{};
    if (object.integer(message.origin) < 0) return;  // the queue of a communicator that is interrupted
    unexpected.emplace_back(context, message_in(object));
  });
}

PendingMessage QueueWalk::message_in(const ObjectCopy& object) const {
  const QueueRecord::UnexpectedLayout& layout = record_.unexpected;
  PendingMessage message{.state = state_of_kind(object.number(layout.kind)),
                         .rank = object.integer(layout.source),
                         .process = object.integer(layout.origin),
                         .tag = object.integer(layout.tag),
                         .bytes = object.number(layout.message),
                         .moved = object.number(layout.stored)};
  if (message.state == State::eager) message.buffer = object.number(layout.body);
  return message;
}

/// The slots must stay as they are meanwhile: otherwise a receive may have ended, and its memory have another one. A
/// slot that has had another receive differs, in the number of receives that it has had.
void QueueWalk::read_filled(std::uint64_t slots, Found& found) const {
  const QueueRecord::RequestLayout& layout = record_.receive.request;
  const std::vector<ObjectCopy> before = reader_.elements(slots, record_.engine.slot_bytes);
  for (const ObjectCopy& slot : before) {
    const std::uint64_t address = slot.address(record_.engine.slot_receive);
    if (address == 0) continue;
    const ObjectCopy object = reader_.object(address, layout.bytes);
    if (object.number(layout.mark) != layout.alive) throw Inconsistent{};
    found.emplace_back(operations_.context_of(object, layout), operations_.receive_in(object, State::arriving));
  }
  if (!found.empty() && reader_.elements(slots, record_.engine.slot_bytes) != before) throw Inconsistent{};
}

void QueueWalk::read_sends(std::uint64_t sends, Found& found) const {
  const QueueRecord::RequestLayout& layout = record_.send.request;
  for (const std::uint64_t address : reader_.addresses(sends)) {
    const ObjectCopy object = reader_.object(address, layout.bytes);
    if (!OperationReader::is_pending(object, layout)) continue;
    const PendingMessage send = operations_.send_in(object);
    if (operations_.is_begun(object, send)) found.emplace_back(operations_.context_of(object, layout), send);
  }
}

}  // namespace

MessageQueues read_queues(const ProcessMemory& memory) {
  return QueueWalk(memory).read();
}

}  // namespace bowline::launcher
