// SPDX-License-Identifier: BSD-3-Clause
#include "made_memory.hpp"

#include <array>
#include <string_view>

namespace bowline::launcher {
namespace {

constexpr std::uint32_t alive = 0xa11fe;

QueueRecord::RequestLayout made_request_layout() {
  return {.bytes = 120,
          .link = 24,
          .alive = alive,
          .type_bytes = 20,
          .mark = {8, 4},
          .context = {44, 4},
          .active = {48, 1},
          .done = {50, 1},
          .persistent = {49, 1},
          .detached = {51, 1},
          .generation = {84, 2},
          .tag = {52, 4},
          .buffer = {56, 8},
          .count = {64, 8},
          .type = {72, 8},
          .type_size = {12, 8}};
}

QueueRecord made_record() {
  QueueRecord record{.magic = QueueRecord::right_magic,
                     .version = QueueRecord::this_version,
                     .bytes = sizeof(QueueRecord),
                     .self = MadeRank::record,
                     .rank = 2,
                     .ranks = 4,
                     .lanes = MadeRank::lanes,
                     .world = MadeRank::world,
                     .own = MadeRank::own,
                     .communicators = MadeRank::communicators,
                     .others = MadeRank::others,
                     .other_counts = 7,
                     .other_bytes = 4};
  record.engine = {.queues = 16,
                   .foreign_queues = 48,
                   .sends = 80,
                   .receives = 136,
                   .filled = 112,
                   .slot_bytes = 24,
                   .slot_receive = 8};
  record.list = {.next = 8, .previous = 0};
  record.match_queue = {.bytes = 100, .posted = 8, .unexpected = 40, .context = {96, 4}};
  record.receive = {.request = made_request_layout(),
                    .source = {80, 4},
                    .expected = {88, 8},
                    .received = {96, 8},
                    .matched_source = {104, 4},
                    .matched_tag = {108, 4},
                    .matched_bytes = {112, 8}};
  record.send = {.request = made_request_layout(),
                 .stage = {80, 1},
                 .bytes = {88, 8},
                 .sent = {96, 8},
                 .peer = {104, 8},
                 .peer_rank = {36, 2}};
  record.unexpected = {.bytes = 100,
                       .link = 8,
                       .context = {32, 4},
                       .source = {36, 4},
                       .tag = {40, 4},
                       .kind = {44, 1},
                       .origin = {48, 4},
                       .message = {56, 8},
                       .stored = {64, 8},
                       .body = {72, 8}};
  record.communicator = {.bytes = 120,
                         .alive = alive,
                         .name = 40,
                         .mark = {0, 4},
                         .context = {4, 4},
                         .rank = {8, 4},
                         .members = {12, 4},
                         .peers = {16, 4},
                         .first = {20, 4},
                         .stride = {24, 4},
                         .table = {32, 8},
                         .all_first = {56, 4},
                         .all_stride = {60, 4},
                         .all_table = {64, 8}};
  return record;
}

struct Made {
  MadeMemory& memory;
  QueueRecord record = made_record();

  void link(std::uint64_t node, std::uint64_t previous, std::uint64_t next) const {
    memory.put_address(node + record.list.next, next);
    memory.put_address(node + record.list.previous, previous);
  }

  void communicator(std::uint64_t at, std::uint32_t context, int rank, int members, std::uint64_t table,
                    std::string_view name) const {
    const QueueRecord::CommunicatorLayout& layout = record.communicator;
    memory.put(at, layout.mark, layout.alive);
    memory.put(at, layout.context, context);
    memory.put(at, layout.rank, static_cast<std::uint64_t>(rank));
    memory.put(at, layout.members, static_cast<std::uint64_t>(members));
    memory.put(at, layout.peers, static_cast<std::uint64_t>(members));
    memory.put(at, layout.stride, 1);
    memory.put(at, layout.table, table);
    const std::uint64_t text = at + layout.bytes;
    for (std::size_t i = 0; i < name.size(); ++i) memory.put(text + i, name[i]);
    memory.put_address(at + layout.name, text);
    memory.put_address(at + layout.name + 8, name.size());
  }

  void request(std::uint64_t at, const QueueRecord::RequestLayout& layout, std::uint32_t context, int tag) const {
    memory.put(at, layout.mark, layout.alive);
    memory.put(at, layout.context, context);
    memory.put(at, layout.active, 1);
    memory.put(at, layout.tag, static_cast<std::uint32_t>(tag));
    memory.put(at, layout.count, 3);
    memory.put(at, layout.type, MadeRank::type);
    memory.put(MadeRank::type, layout.type_size, 8);
  }

  void posted(std::uint64_t at, int source, int tag) const {
    request(at, record.receive.request, MadeRank::split_context, tag);
    memory.put(at, record.receive.source, static_cast<std::uint32_t>(source));
  }

  void vector_of(std::uint64_t at, std::uint64_t content, std::span<const std::uint64_t> addresses) const {
    for (std::size_t i = 0; i < addresses.size(); ++i) memory.put_address(content + 8 * i, addresses[i]);
    memory.put_vector(at, content, 8 * addresses.size());
  }
};

void fill_communicators(const Made& made) {
  for (std::uint32_t i = 0; i < 3; ++i)
    made.memory.put(MadeRank::words + 4 * i, std::uint32_t{i == 0 ? 3U : (i - 1) * 2});
  made.communicator(MadeRank::world, 0, 2, 4, 0, "the world");
  made.communicator(MadeRank::own, 4, 0, 1, 0, "oneself");
  made.communicator(MadeRank::split, MadeRank::split_context, 2, 3, MadeRank::words, "split");
  made.communicator(MadeRank::bridge, MadeRank::bridge_context, 0, 3, 0, "bridge");  // this process, and 0 and 1
  made.memory.put(MadeRank::bridge, made.record.communicator.peers, 2);
  made.memory.put(MadeRank::bridge, made.record.communicator.all_stride, 1);
  made.vector_of(MadeRank::communicators, MadeRank::words + 0x40,
                 std::array<std::uint64_t, 3>{0, MadeRank::split, MadeRank::bridge});
  made.memory.put(MadeRank::others + 2 * 4, std::uint32_t{3});  // of the index of `split`, modulo 7
}

void fill_match_queue(const Made& made) {
  const QueueRecord& record = made.record;
  made.memory.put(MadeRank::queue, record.match_queue.context, MadeRank::split_context);
  made.posted(MadeRank::receive, 1, 11);
  made.posted(MadeRank::second_receive, QueueRecord::any_source, QueueRecord::any_tag);
  const std::uint64_t posted = MadeRank::queue + record.match_queue.posted, link = record.receive.request.link;
  made.link(posted, MadeRank::second_receive + link, MadeRank::receive + link);
  made.link(MadeRank::receive + link, posted, MadeRank::second_receive + link);
  made.link(MadeRank::second_receive + link, MadeRank::receive + link, posted);
  const std::uint64_t unexpected = MadeRank::queue + record.match_queue.unexpected,
                      message = MadeRank::message + record.unexpected.link;
  made.link(unexpected, message, message);
  made.link(message, unexpected, unexpected);
  made.memory.put(MadeRank::message, record.unexpected.context, MadeRank::split_context);
  made.memory.put(MadeRank::message, record.unexpected.tag, 5);
  made.memory.put(MadeRank::message, record.unexpected.kind, QueueRecord::kind_announced);
  made.memory.put(MadeRank::message, record.unexpected.origin, 3);
  made.memory.put(MadeRank::message, record.unexpected.message, 1000);
}

void fill_requests(const Made& made) {
  const QueueRecord& record = made.record;
  const QueueRecord::SendLayout& send = record.send;
  made.request(MadeRank::send, send.request, MadeRank::split_context, 7);
  made.memory.put(MadeRank::send, send.stage, static_cast<std::uint64_t>(QueueRecord::Stage::streaming));
  made.memory.put(MadeRank::send, send.bytes, 70);
  made.memory.put(MadeRank::send, send.sent, 30);
  made.memory.put(MadeRank::send, send.peer, MadeRank::peer);
  made.memory.put(MadeRank::peer, send.peer_rank, 0);
  made.request(MadeRank::idle_send, send.request, MadeRank::split_context, 8);
  made.memory.put(MadeRank::idle_send, send.request.done, 1);
  made.memory.put(MadeRank::idle_send, send.peer, MadeRank::peer);
  made.vector_of(MadeRank::engine + record.engine.sends, MadeRank::words + 0x80,
                 std::array{MadeRank::idle_send, MadeRank::send});
  made.request(MadeRank::filled, record.receive.request, 1, 9);
  made.memory.put(MadeRank::filled, record.receive.source, 3);
  made.memory.put(MadeRank::filled, record.receive.expected, 600);
  made.memory.put(MadeRank::filled, record.receive.received, 200);
  made.memory.put(MadeRank::filled, record.receive.matched_source, 3);
  made.memory.put(MadeRank::filled, record.receive.matched_tag, 9);
  made.memory.put(MadeRank::filled, record.receive.matched_bytes, 900);
  made.vector_of(MadeRank::engine + record.engine.receives, MadeRank::words + 0x1c0,
                 std::array{MadeRank::receive, MadeRank::filled, MadeRank::second_receive});
  const std::uint64_t slots = MadeRank::words + 0x100;
  made.memory.put_address(slots + record.engine.slot_bytes + record.engine.slot_receive, MadeRank::filled);
  made.memory.put_vector(MadeRank::engine + record.engine.filled, slots, 2 * record.engine.slot_bytes);
}

}  // namespace

void MadeRank::fill(MadeMemory& memory) {
  const Made made{memory};
  memory.put(record, made.record);
  made.vector_of(lanes, words + 0x60, std::array{engine});
  made.vector_of(engine + made.record.engine.queues, words + 0xc0, std::array<std::uint64_t, 3>{0, queue, 0});
  fill_communicators(made);
  fill_match_queue(made);
  fill_requests(made);
}

}  // namespace bowline::launcher
