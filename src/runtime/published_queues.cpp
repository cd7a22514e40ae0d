// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/published_queues.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/diagnosis/layout_of.hpp"
#include "base/diagnosis/queue_record.hpp"
#include "base/list.hpp"
#include "base/pool.hpp"
#include "runtime/process_parts.hpp"

// The classes have no virtual bases, so every compiler that the library supports gives the offsets of their members,
// which the standard leaves to it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace bowline {

template <class T>
struct LayoutOf<Pool<T>> {
  static constexpr std::size_t all = offsetof(Pool<T>, all_);
};

template <class T>
struct LayoutOf<List<T>> {
  static constexpr std::size_t head = offsetof(List<T>, head_);
};

template <class T>
struct LayoutOf<proto::IdTable<T>> {
  using Slot = typename proto::IdTable<T>::Slot;
  static constexpr std::size_t slots = offsetof(proto::IdTable<T>, slots_);
  static constexpr std::size_t slot_bytes = sizeof(Slot);
  static constexpr std::size_t object = offsetof(Slot, object);
};

template <>
struct LayoutOf<proto::RequestStore> {
  static constexpr std::size_t sends = offsetof(proto::RequestStore, sends_) + LayoutOf<Pool<proto::SendRequest>>::all;
  static constexpr std::size_t receives =
      offsetof(proto::RequestStore, receives_) + LayoutOf<Pool<proto::ReceiveRequest>>::all;
  static constexpr std::size_t filled =
      offsetof(proto::RequestStore, named_receives_) + LayoutOf<proto::IdTable<proto::ReceiveRequest>>::slots;
};

template <>
struct LayoutOf<proto::SpecialRequest> {
  static const auto& counters() noexcept { return proto::SpecialRequest::counters; }
};

template <>
struct LayoutOf<proto::PostedQueue> {
  static constexpr std::size_t list = offsetof(proto::PostedQueue, list_) + LayoutOf<List<proto::ReceiveRequest>>::head;
};

template <>
struct LayoutOf<proto::UnexpectedQueue> {
  static constexpr std::size_t list = offsetof(proto::UnexpectedQueue, list_) + LayoutOf<List<proto::Unexpected>>::head;
};

template <>
struct LayoutOf<proto::Matching> {
  static constexpr std::size_t queues = offsetof(proto::Matching, queues_);
  static constexpr std::size_t foreign_queues = offsetof(proto::Matching, foreign_queues_);
};

template <>
struct LayoutOf<proto::Engine> {
  static constexpr std::size_t requests = offsetof(proto::Engine, requests_);
  static constexpr std::size_t matching = offsetof(proto::Engine, matching_);
};

template <>
struct LayoutOf<proto::Lanes> {
  static constexpr std::size_t engines = offsetof(proto::Lanes, engines_);
};

template <>
struct LayoutOf<comm::Communicators> {
  static constexpr std::size_t all = offsetof(comm::Communicators, all_);
};

namespace {

template <class Class, class Member>
constexpr QueueRecord::Field field(Member Class::*, std::size_t offset) noexcept {
  constexpr std::size_t bytes = sizeof(Member);  // NOLINT(bugprone-sizeof-expression): of pointers, too
  return {.offset = static_cast<std::uint32_t>(offset), .bytes = bytes};
}

constexpr std::uint32_t narrow(std::size_t offset) noexcept {
  return static_cast<std::uint32_t>(offset);
}

/// Where the base lies in an object.
template <class Base, class Whole>
std::uint32_t place_of_base() noexcept {
  alignas(Whole) std::byte memory[sizeof(Whole)];
  const auto* const base = static_cast<const Base*>(reinterpret_cast<const Whole*>(memory));
  return narrow(static_cast<std::size_t>(reinterpret_cast<const std::byte*>(base) - memory));
}

}  // namespace

template <>
struct LayoutOf<dtype::Datatype> {
  static constexpr QueueRecord::Field size = field(&dtype::Datatype::size_, offsetof(dtype::Datatype, size_));
};

template <>
struct LayoutOf<comm::Communicator> {
  using Communicator = comm::Communicator;
  static QueueRecord::CommunicatorLayout layout() noexcept {
    constexpr std::size_t peers = offsetof(Communicator, peers_);
    constexpr std::size_t all = offsetof(Communicator, team_) + offsetof(coll::Team, ranks);
    return {.bytes = sizeof(Communicator),
            .alive = Communicator::mark_of_life,
            .name = offsetof(Communicator, label_),
            .mark = field(&Communicator::mark_, offsetof(Communicator, mark_)),
            .context = field(&Communicator::context_, offsetof(Communicator, context_)),
            .rank = field(&Communicator::rank_, offsetof(Communicator, rank_)),
            .members = field(&coll::Team::size, offsetof(Communicator, team_) + offsetof(coll::Team, size)),
            .peers = field(&Communicator::peer_count_, offsetof(Communicator, peer_count_)),
            .first = field(&coll::RankMap::first, peers + offsetof(coll::RankMap, first)),
            .stride = field(&coll::RankMap::stride, peers + offsetof(coll::RankMap, stride)),
            .table = field(&coll::RankMap::table, peers + offsetof(coll::RankMap, table)),
            .all_first = field(&coll::RankMap::first, all + offsetof(coll::RankMap, first)),
            .all_stride = field(&coll::RankMap::stride, all + offsetof(coll::RankMap, stride)),
            .all_table = field(&coll::RankMap::table, all + offsetof(coll::RankMap, table))};
  }
};

namespace {

using proto::Purpose;
using proto::ReceiveRequest;
using proto::SendRequest;
using proto::Unexpected;
using transport::Header;

template <class Ours, class Theirs>
constexpr bool same(Ours ours, Theirs theirs) noexcept {
  return static_cast<std::int64_t>(ours) == static_cast<std::int64_t>(theirs);
}

// If one of these does not hold any more, readers misunderstand the record: raise its version.
static_assert(same(SendRequest::Stage::queued, QueueRecord::Stage::queued) &&
              same(SendRequest::Stage::announced, QueueRecord::Stage::announced) &&
              same(SendRequest::Stage::delivered, QueueRecord::Stage::delivered) &&
              same(SendRequest::Stage::streaming, QueueRecord::Stage::streaming) &&
              same(SendRequest::Stage::putting, QueueRecord::Stage::putting));
static_assert(same(Purpose::point_to_point, QueueRecord::Purpose::point_to_point) &&
              same(Purpose::collective, QueueRecord::Purpose::collective) &&
              same(Purpose::partitioned, QueueRecord::Purpose::partitioned) &&
              same(Purpose::local, QueueRecord::Purpose::local) &&
              proto::with_purpose(proto::no_context, Purpose::point_to_point) ==
                  proto::no_context - proto::no_context % QueueRecord::purposes);
static_assert(same(proto::Kind::ready_to_send, QueueRecord::kind_announced) &&
              same(proto::Kind::failure, QueueRecord::kind_failure));
static_assert(proto::any_source == QueueRecord::any_source && proto::any_tag == QueueRecord::any_tag);
static_assert(proto::max_indices == QueueRecord::indices &&
              proto::index_of(~std::uint32_t{0}) == QueueRecord::indices - 1);
static_assert(sizeof(std::vector<void*>) == 3 * sizeof(void*), "the first two are the addresses of begin and end");

template <class Kind>
QueueRecord::RequestLayout request_layout(QueueRecord::Field tag) noexcept {
  constexpr QueueRecord::Field type_size = LayoutOf<dtype::Datatype>::size;
  constexpr std::size_t buffer = offsetof(Kind, buffer);
  return {.bytes = sizeof(Kind),
          .link = place_of_base<ListNode, Kind>(),
          .alive = proto::Request::alive,
          .type_bytes = type_size.offset + type_size.bytes,
          .mark = field(&Kind::mark, offsetof(Kind, mark)),
          .context = field(&Kind::context, offsetof(Kind, context)),
          .active = field(&Kind::active, offsetof(Kind, active)),
          .done = field(&Kind::done, offsetof(Kind, done)),
          .persistent = field(&Kind::persistent, offsetof(Kind, persistent)),
          .detached = field(&Kind::detached, offsetof(Kind, detached)),
          .generation = field(&Kind::generation, offsetof(Kind, generation)),
          .tag = tag,
          .buffer = field(&proto::Buffer::base, buffer + offsetof(proto::Buffer, base)),
          .count = field(&proto::Buffer::count, buffer + offsetof(proto::Buffer, count)),
          .type = field(&proto::Buffer::type, buffer + offsetof(proto::Buffer, type)),
          .type_size = type_size};
}

QueueRecord::ReceiveLayout receive_layout() noexcept {
  using proto::Status;
  constexpr std::size_t matched = offsetof(ReceiveRequest, status);
  return {.request = request_layout<ReceiveRequest>(field(&ReceiveRequest::tag, offsetof(ReceiveRequest, tag))),
          .source = field(&ReceiveRequest::source, offsetof(ReceiveRequest, source)),
          .expected = field(&ReceiveRequest::expected, offsetof(ReceiveRequest, expected)),
          .received = field(&ReceiveRequest::received, offsetof(ReceiveRequest, received)),
          .matched_source = field(&Status::source, matched + offsetof(Status, source)),
          .matched_tag = field(&Status::tag, matched + offsetof(Status, tag)),
          .matched_bytes = field(&Status::bytes, matched + offsetof(Status, bytes))};
}

QueueRecord::SendLayout send_layout() noexcept {
  // There is no offset of a reference. `peer` stands directly before `buffer`.
  constexpr std::size_t peer = offsetof(SendRequest, buffer) - sizeof(proto::Peer*);
  static_assert(peer % alignof(proto::Peer*) == 0 &&
                peer >= offsetof(SendRequest, piece) + sizeof(SendRequest::piece) &&
                peer < offsetof(SendRequest, piece) + sizeof(SendRequest::piece) + sizeof(proto::Peer*));
  constexpr std::size_t header = offsetof(SendRequest, header);
  return {.request = request_layout<SendRequest>(field(&Header::tag, header + offsetof(Header, tag))),
          .stage = field(&SendRequest::stage, offsetof(SendRequest, stage)),
          .bytes = field(&SendRequest::bytes, offsetof(SendRequest, bytes)),
          .sent = field(&SendRequest::sent, offsetof(SendRequest, sent)),
          .peer = {.offset = narrow(peer), .bytes = sizeof(proto::Peer*)},
          .peer_rank = field(&proto::Peer::rank, offsetof(proto::Peer, rank))};
}

QueueRecord::UnexpectedLayout unexpected_layout() noexcept {
  constexpr std::size_t header = offsetof(Unexpected, header);
  return {.bytes = sizeof(Unexpected),
          .link = place_of_base<ListNode, Unexpected>(),
          .context = field(&Header::context, header + offsetof(Header, context)),
          .source = field(&Header::source, header + offsetof(Header, source)),
          .tag = field(&Header::tag, header + offsetof(Header, tag)),
          .kind = field(&Header::kind, header + offsetof(Header, kind)),
          .origin = field(&Unexpected::origin, offsetof(Unexpected, origin)),
          .message = field(&Unexpected::bytes, offsetof(Unexpected, bytes)),
          .stored = field(&Unexpected::stored, offsetof(Unexpected, stored)),
          .body = field(&Unexpected::body, offsetof(Unexpected, body))};
}

void describe_layouts(QueueRecord& record) noexcept {
  using proto::MatchQueue;
  constexpr std::size_t requests = LayoutOf<proto::Engine>::requests;
  constexpr std::size_t matching = LayoutOf<proto::Engine>::matching;
  using Slots = LayoutOf<proto::IdTable<ReceiveRequest>>;
  record.engine = {.queues = narrow(matching + LayoutOf<proto::Matching>::queues),
                   .foreign_queues = narrow(matching + LayoutOf<proto::Matching>::foreign_queues),
                   .sends = narrow(requests + LayoutOf<proto::RequestStore>::sends),
                   .receives = narrow(requests + LayoutOf<proto::RequestStore>::receives),
                   .filled = narrow(requests + LayoutOf<proto::RequestStore>::filled),
                   .slot_bytes = narrow(Slots::slot_bytes),
                   .slot_receive = narrow(Slots::object)};
  record.list = {.next = narrow(offsetof(ListNode, next)), .previous = narrow(offsetof(ListNode, previous))};
  record.match_queue = {.bytes = sizeof(MatchQueue),
                        .posted = narrow(offsetof(MatchQueue, posted) + LayoutOf<proto::PostedQueue>::list),
                        .unexpected = narrow(offsetof(MatchQueue, unexpected) + LayoutOf<proto::UnexpectedQueue>::list),
                        .context = field(&MatchQueue::context, offsetof(MatchQueue, context))};
  record.receive = receive_layout();
  record.send = send_layout();
  record.unexpected = unexpected_layout();
  record.communicator = LayoutOf<comm::Communicator>::layout();
}

std::uint64_t address_of(const void* object, std::size_t offset = 0) noexcept {
  return reinterpret_cast<std::uint64_t>(object) + offset;
}

}  // namespace

void runtime::publish_queues(const Parts& parts) noexcept {
  QueueRecord& record = bowline_queue_record;
  describe_layouts(record);
  record.rank = parts.identity.rank;
  record.ranks = parts.identity.size;
  record.lanes = address_of(&parts.lanes, LayoutOf<proto::Lanes>::engines);
  record.world = address_of(&parts.world);
  record.own = address_of(&parts.self);
  record.communicators = address_of(&parts.communicators, LayoutOf<comm::Communicators>::all);
  const auto& others = LayoutOf<proto::SpecialRequest>::counters();
  record.others = address_of(others.data());
  record.other_counts = narrow(others.size());
  record.other_bytes = sizeof others[0];
  record.self = address_of(&record);
}

}  // namespace bowline

#pragma GCC diagnostic pop
