// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/queue_walk.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "launcher/queues/communicator_list.hpp"
#include "launcher/queues/memory_reader.hpp"
#include "launcher/queues/record_search.hpp"

namespace bowline::launcher {
namespace {

using State = PendingMessage::State;
/// Messages with their contexts.
using Found = std::vector<std::pair<std::uint32_t, PendingMessage>>;

State state_of_stage(std::uint64_t stage) {
  if (stage > static_cast<std::uint64_t>(QueueRecord::Stage::putting)) throw Inconsistent{};
  return static_cast<State>(static_cast<std::uint64_t>(State::queued) + stage);
}

State state_of_kind(std::uint64_t kind) noexcept {
  if (kind == QueueRecord::kind_announced) return State::unfetched;
  return kind == QueueRecord::kind_failure ? State::failed : State::eager;
}

class QueueWalk {
 public:
  explicit QueueWalk(const ProcessMemory& memory)
      : record_(find_queue_record(memory)), reader_(memory), communicators_(reader_, record_) {}

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
  PendingMessage receive_in(const ObjectCopy& object, State state) const;
  std::pair<std::uint32_t, PendingMessage> send_in(const ObjectCopy& object) const;

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
    for (const auto& [context, message] : found) (of(context).*kind).push_back(complete(context, message));
  }
  ContextQueues& of(std::uint32_t context);
  PendingMessage complete(std::uint32_t context, PendingMessage message) const;

  QueueRecord record_;
  MemoryReader reader_;
  CommunicatorList communicators_;
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
    posted.emplace_back(context, receive_in(object, State::posted));
  });
  const QueueRecord::UnexpectedLayout& message = record_.unexpected;
  reader_.each(queue + layout.unexpected, record_.list, message.link, message.bytes, [&](const ObjectCopy& object) {
    if (object.number(message.context) != context) throw Inconsistent{};
    if (object.integer(message.origin) < 0) return;  // the queue of a communicator that is interrupted
    unexpected.emplace_back(context, PendingMessage{.state = state_of_kind(object.number(message.kind)),
                                                    .rank = object.integer(message.source),
                                                    .process = object.integer(message.origin),
                                                    .tag = object.integer(message.tag),
                                                    .bytes = object.number(message.message),
                                                    .moved = object.number(message.stored)});
  });
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
    found.emplace_back(static_cast<std::uint32_t>(object.number(layout.context)), receive_in(object, State::arriving));
  }
  if (!found.empty() && reader_.elements(slots, record_.engine.slot_bytes) != before) throw Inconsistent{};
}

void QueueWalk::read_sends(std::uint64_t sends, Found& found) const {
  const QueueRecord::RequestLayout& layout = record_.send.request;
  for (const std::uint64_t address : reader_.addresses(sends)) {
    const ObjectCopy object = reader_.object(address, layout.bytes);
    const bool is_pending = object.number(layout.mark) == layout.alive && object.number(layout.active) != 0 &&
                            object.number(layout.done) == 0;
    if (!is_pending) continue;
    // One that is queued is in a list, unless the rank is just making it.
    const auto found_send = send_in(object);
    const bool is_begun =
        found_send.second.state != State::queued || object.address(layout.link + record_.list.next) != 0;
    if (is_begun) found.push_back(found_send);
  }
}

PendingMessage QueueWalk::receive_in(const ObjectCopy& object, State state) const {
  const QueueRecord::ReceiveLayout& layout = record_.receive;
  PendingMessage receive{
      .state = state, .rank = object.integer(layout.source), .tag = object.integer(layout.request.tag)};
  if (state == State::arriving) {
    receive.bytes = object.number(layout.expected);
    receive.moved = object.number(layout.received);
    return receive;
  }
  const ObjectCopy type = reader_.object(object.number(layout.request.type), layout.request.type_bytes);
  receive.bytes = object.number(layout.request.count) * type.number(layout.request.type_size);
  return receive;
}

std::pair<std::uint32_t, PendingMessage> QueueWalk::send_in(const ObjectCopy& object) const {
  const QueueRecord::SendLayout& layout = record_.send;
  const QueueRecord::Field rank = layout.peer_rank;
  const ObjectCopy peer = reader_.object(object.number(layout.peer), rank.offset + rank.bytes);
  PendingMessage send{.state = state_of_stage(object.number(layout.stage)),
                      .process = peer.integer(rank),
                      .tag = object.integer(layout.request.tag),
                      .bytes = object.number(layout.bytes)};
  if (send.state == State::streaming) send.moved = object.number(layout.sent);
  return {static_cast<std::uint32_t>(object.number(layout.request.context)), send};
}

ContextQueues& QueueWalk::of(std::uint32_t context) {
  const auto [place, is_new] = contexts_.try_emplace(context);
  ContextQueues& queues = place->second;
  const SeenCommunicator* const seen = is_new ? communicators_.find(context) : nullptr;
  queues.context = context;
  if (seen == nullptr) return queues;
  queues.known = true;
  queues.communicator = seen->name;
  queues.freed = seen->freed;
  queues.rank = seen->rank;
  queues.members = seen->members;
  queues.peers = seen->peers;
  return queues;
}

/// Adds the process of a rank, or the rank of a process. Collectives of an intercommunicator number the members of both
/// groups in another way.
PendingMessage QueueWalk::complete(std::uint32_t context, PendingMessage message) const {
  const SeenCommunicator* const seen = communicators_.find(context);
  if (seen == nullptr) return message;
  const auto purpose = static_cast<QueueRecord::Purpose>(context % QueueRecord::purposes);
  const bool is_of_program =
      purpose == QueueRecord::Purpose::point_to_point || purpose == QueueRecord::Purpose::partitioned;
  if (!is_of_program && seen->peers != seen->members) return message;
  if (message.rank == PendingMessage::unknown) message.rank = seen->rank_of(message.process);
  if (message.process == PendingMessage::unknown) message.process = seen->process_of(message.rank);
  return message;
}

}  // namespace

MessageQueues read_queues(const ProcessMemory& memory) {
  return QueueWalk(memory).read();
}

}  // namespace bowline::launcher
