// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/operation_reader.hpp"

#include "launcher/queues/record_search.hpp"

namespace bowline::launcher {
namespace {

using State = PendingMessage::State;

State state_of_stage(std::uint64_t stage) {
  if (stage > static_cast<std::uint64_t>(QueueRecord::Stage::putting)) throw Inconsistent{};
  return static_cast<State>(static_cast<std::uint64_t>(State::queued) + stage);
}

}  // namespace

OperationReader::OperationReader(const ProcessMemory& memory)
    : record_(find_queue_record(memory)), reader_(memory), communicators_(reader_, record_) {}

PendingMessage OperationReader::receive_in(const ObjectCopy& object, State state) const {
  const QueueRecord::ReceiveLayout& layout = record_.receive;
  PendingMessage receive{.state = state,
                         .rank = object.integer(layout.source),
                         .tag = object.integer(layout.request.tag),
                         .buffer = object.number(layout.request.buffer)};
  if (state == State::arriving) {
    receive.bytes = object.number(layout.expected);
    receive.moved = object.number(layout.received);
    receive.matched = {.rank = object.integer(layout.matched_source),
                       .tag = object.integer(layout.matched_tag),
                       .bytes = object.number(layout.matched_bytes)};
    return receive;
  }
  receive.bytes = bytes_in(object, layout.request);
  return receive;
}

std::uint64_t OperationReader::bytes_in(const ObjectCopy& object, const QueueRecord::RequestLayout& layout) const {
  const ObjectCopy type = reader_.object(object.number(layout.type), layout.type_bytes);
  return object.number(layout.count) * type.number(layout.type_size);
}

PendingMessage OperationReader::send_in(const ObjectCopy& object) const {
  const QueueRecord::SendLayout& layout = record_.send;
  const QueueRecord::Field rank = layout.peer_rank;
  const ObjectCopy peer = reader_.object(object.number(layout.peer), rank.offset + rank.bytes);
  PendingMessage send{.state = state_of_stage(object.number(layout.stage)),
                      .process = peer.integer(rank),
                      .tag = object.integer(layout.request.tag),
                      .bytes = object.number(layout.bytes),
                      .buffer = object.number(layout.request.buffer)};
  if (send.state == State::streaming) send.moved = object.number(layout.sent);
  return send;
}

bool OperationReader::is_pending(const ObjectCopy& object, const QueueRecord::RequestLayout& layout) {
  return object.number(layout.mark) == layout.alive && object.number(layout.active) != 0 &&
         object.number(layout.done) == 0;
}

bool OperationReader::is_begun(const ObjectCopy& object, const PendingMessage& send) const {
  return send.state != State::queued || object.address(record_.send.request.link + record_.list.next) != 0;
}

PendingMessage OperationReader::complete(std::uint32_t context, PendingMessage message) const {
  const SeenCommunicator* const seen = communicators_.find(context);
  if (seen == nullptr) return message;
  const auto purpose = static_cast<QueueRecord::Purpose>(context % QueueRecord::purposes);
  const bool is_of_program =
      purpose == QueueRecord::Purpose::point_to_point || purpose == QueueRecord::Purpose::partitioned;
  if (!is_of_program && seen->is_inter()) return message;
  if (message.rank == PendingMessage::unknown) message.rank = seen->peers.rank_of(message.process);
  if (message.process == PendingMessage::unknown) message.process = seen->peers.process_of(message.rank);
  return message;
}

}  // namespace bowline::launcher
