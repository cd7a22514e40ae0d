// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/communicator_list.hpp"

#include <algorithm>
#include <utility>

#include "launcher/queues/record_search.hpp"

namespace bowline::launcher {
namespace {

constexpr int most_members = 1 << 24;  // what damaged memory claims must not make this process large

/// A group whose facts are in these members of a communicator.
SeenGroup group_in(const MemoryReader& reader, const ObjectCopy& object, int size, QueueRecord::Field first,
                   QueueRecord::Field stride, QueueRecord::Field table) {
  SeenGroup group{.size = size, .first = object.integer(first), .stride = object.integer(stride)};
  if (const std::uint64_t address = object.number(table); address != 0)
    group.table = reader.integers(address, static_cast<std::size_t>(size));
  return group;
}

}  // namespace

int SeenGroup::process_of(int rank) const noexcept {
  if (rank < 0 || rank >= size) return PendingMessage::unknown;
  return table.empty() ? static_cast<int>(first + std::int64_t{rank} * stride) : table[static_cast<std::size_t>(rank)];
}

int SeenGroup::rank_of(int process) const noexcept {
  if (!table.empty()) {
    const auto found = std::ranges::find(table, process);
    return found == table.end() ? PendingMessage::unknown : static_cast<int>(found - table.begin());
  }
  const std::int64_t way = std::int64_t{process} - first;
  if (stride == 0 || way % stride != 0) return way == 0 && size == 1 ? 0 : PendingMessage::unknown;
  const std::int64_t member = way / stride;
  return member >= 0 && member < size ? static_cast<int>(member) : PendingMessage::unknown;
}

int SeenCommunicator::local_process(int member) const noexcept {
  if (member < 0 || member >= local_members()) return PendingMessage::unknown;
  if (!is_inter()) return peers.process_of(member);
  return everyone.process_of(local_first ? member : peers.size + member);
}

SeenContext SeenCommunicator::in(std::uint32_t context) const {
  return {.context = context,
          .communicator = name,
          .known = true,
          .freed = freed,
          .rank = rank,
          .members = members,
          .peers = peers.size};
}

CommunicatorList::CommunicatorList(const MemoryReader& reader, const QueueRecord& record) {
  reader.settle("the list of communicators", [&] {
    all_.clear();
    add(reader, record, record.world);
    add(reader, record, record.own);
    for (const std::uint64_t address : reader.addresses(record.communicators)) add(reader, record, address);
  });
}

void CommunicatorList::add(const MemoryReader& reader, const QueueRecord& record, std::uint64_t address) {
  const QueueRecord::CommunicatorLayout& layout = record.communicator;
  const ObjectCopy object = reader.object(address, layout.bytes);
  SeenCommunicator seen{.name = reader.text(object, layout.name),
                        .freed = object.number(layout.mark) != layout.alive,
                        .rank = object.integer(layout.rank),
                        .members = object.integer(layout.members)};
  const int peers = object.integer(layout.peers);
  if (seen.members <= 0 || seen.members > most_members || peers < 0 || peers > seen.members) throw Inconsistent{};
  seen.peers = group_in(reader, object, peers, layout.first, layout.stride, layout.table);
  if (seen.is_inter()) {
    seen.everyone = group_in(reader, object, seen.members, layout.all_first, layout.all_stride, layout.all_table);
    seen.local_first = seen.everyone.process_of(0) != seen.peers.process_of(0);
  }
  all_.insert_or_assign(static_cast<std::uint32_t>(object.number(layout.context)), std::move(seen));
}

const SeenCommunicator* CommunicatorList::find(std::uint32_t context) const noexcept {
  const auto found = all_.find(context - context % QueueRecord::purposes);
  return found == all_.end() ? nullptr : &found->second;
}

SeenContext CommunicatorList::describe(std::uint32_t context) const {
  const SeenCommunicator* const seen = find(context);
  return seen == nullptr ? SeenContext{.context = context} : seen->in(context);
}

RankCommunicators read_communicators(const ProcessMemory& memory) {
  const QueueRecord record = find_queue_record(memory);
  return {.rank = record.rank, .ranks = record.ranks, .all = CommunicatorList(MemoryReader(memory), record).all()};
}

}  // namespace bowline::launcher
