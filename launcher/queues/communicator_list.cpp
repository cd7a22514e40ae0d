// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/communicator_list.hpp"

#include <algorithm>

#include "launcher/queues/message_queues.hpp"

namespace bowline::launcher {

int SeenCommunicator::process_of(int peer) const noexcept {
  if (peer < 0 || peer >= peers) return PendingMessage::unknown;
  return table.empty() ? static_cast<int>(first + std::int64_t{peer} * stride) : table[static_cast<std::size_t>(peer)];
}

int SeenCommunicator::rank_of(int process) const noexcept {
  if (!table.empty()) {
    const auto found = std::ranges::find(table, process);
    return found == table.end() ? PendingMessage::unknown : static_cast<int>(found - table.begin());
  }
  const std::int64_t way = std::int64_t{process} - first;
  if (stride == 0 || way % stride != 0) return way == 0 && peers == 1 ? 0 : PendingMessage::unknown;
  const std::int64_t member = way / stride;
  return member >= 0 && member < peers ? static_cast<int>(member) : PendingMessage::unknown;
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
                        .members = object.integer(layout.members),
                        .peers = object.integer(layout.peers),
                        .first = object.integer(layout.first),
                        .stride = object.integer(layout.stride)};
  if (seen.members <= 0 || seen.peers < 0 || seen.peers > seen.members) throw Inconsistent{};
  if (const std::uint64_t table = object.number(layout.table); table != 0)
    seen.table = reader.integers(table, static_cast<std::size_t>(seen.peers));
  all_.insert_or_assign(static_cast<std::uint32_t>(object.number(layout.context)), std::move(seen));
}

const SeenCommunicator* CommunicatorList::find(std::uint32_t context) const noexcept {
  const auto found = all_.find(context - context % QueueRecord::purposes);
  return found == all_.end() ? nullptr : &found->second;
}

}  // namespace bowline::launcher
