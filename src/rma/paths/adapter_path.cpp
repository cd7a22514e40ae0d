// SPDX-License-Identifier: BSD-3-Clause
#include "rma/paths/adapter_path.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "dtype/cursor.hpp"
#include "dtype/groups.hpp"
#include "dtype/native.hpp"
#include "proto/progress_thread.hpp"
#include "rma/messages/window_service.hpp"
#include "rma/paths/element_atomics.hpp"
#include "rma/paths/network_atomics.hpp"
#include "rma/rma_request.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

constexpr std::size_t pieces_at_once = 16;
/// Blocks that are shorter than this, on the average, are packed into messages.
constexpr std::size_t least_block = 1024;

/// Whether a stream consists of few pieces, or of long ones, as far as its first pieces show.
bool has_long_pieces(const dtype::Datatype& type, std::size_t count) {
  if (type.contiguous()) return true;
  dtype::Cursor cursor(type, count, nullptr);
  std::array<iovec, pieces_at_once> pieces;
  const std::size_t found = cursor.next_iovec(pieces);
  return found < pieces.size() || cursor.position() >= found * least_block;
}

/// The pieces of a stream, one after the other.
class PieceReader {
 public:
  PieceReader(const dtype::Datatype& type, std::size_t count, const void* base) noexcept : cursor_(type, count, base) {}
  /// What is left of the current piece; empty at the end of the stream.
  std::span<std::byte> piece() {
    if (piece_.empty()) {
      std::array<iovec, 1> next;
      if (cursor_.next_iovec(next) == 1) piece_ = {static_cast<std::byte*>(next[0].iov_base), next[0].iov_len};
    }
    return piece_;
  }
  void take(std::size_t bytes) noexcept { piece_ = piece_.subspan(bytes); }

 private:
  dtype::Cursor cursor_;
  std::span<std::byte> piece_;
};

/// Memory of this process into which the network stores former values. The accesses own it together, because a call may
/// fail while some of its accesses go on.
using Kept = std::shared_ptr<std::byte[]>;

Kept keep_bytes(std::size_t bytes) {
  return Kept(new std::byte[bytes]());
}

/// Keeps the memory until the access has ended; deletes itself then.
class Keeping final : public transport::Operation {
 public:
  Keeping(transport::Operation& access, Kept kept) noexcept : access_(access), kept_(std::move(kept)) {}
  void ended(const Error* failure) noexcept override {
    const std::unique_ptr<Keeping> done(this);
    access_.ended(failure);
  }

 private:
  transport::Operation& access_;
  Kept kept_;
};

/// Begins an atomic operation whose former value goes to `old`, which lies in `kept`, unless it is nullptr.
transport::Access begin_atomic(transport::PeerMemory& remote, const transport::RemoteAtomic& atomic,
                               std::uint64_t address, std::byte* old, const Kept& kept,
                               transport::Operation& operation) {
  if (old == nullptr) return remote.atomic(atomic, address, nullptr, operation);
  auto keeping = std::make_unique<Keeping>(operation, kept);
  const transport::Access access = remote.atomic(atomic, address, old, *keeping);
  if (access == transport::Access::begun) static_cast<void>(keeping.release());
  return access;
}

}  // namespace

AdapterPath::Access::Access(AdapterPath& path, Target& target, RmaRequest* request) noexcept
    : path_(path), target_(target), request_(request) {
  ++target_.accesses;
  if (request_ != nullptr) request_->begin();
}

void AdapterPath::Access::ended(const Error* failure) noexcept {
  Target& target = target_;
  RmaRequest* const request = request_;
  path_.pool_.destroy(this);
  --target.accesses;
  const Failure why = failure == nullptr ? Failure() : Failure(*failure);
  if (why != nullptr && target.failure == nullptr) target.failure = why;
  if (request != nullptr) request->end(why);
}

/// Begins an access: `start` gets the operation that is to be notified of its end.
template <class Start>
void AdapterPath::begin(Target& target, RmaRequest* request, Start start) {
  Access& access = *pool_.make(*this, target, request);
  window_.note_pending(target);
  try {
    if (start(access) == transport::Access::done) return access.ended(nullptr);
  } catch (const Error& error) {
    access.ended(&error);
    throw;
  }
  proto::ProgressThread::operation_begun();
}

/// Opens the target's memory at the first operation. False if the network cannot open the memory: then messages serve
/// the target.
bool AdapterPath::ready(Target& target) {
  if (target.remote == nullptr && !target.closed) [[unlikely]]
    window_.open_remote(target);
  return target.remote != nullptr;
}

/// The address of the place's displacement in the target's process. Throws Error (rma_range).
std::uint64_t AdapterPath::locate(const Target& target, const TargetData& place) const {
  std::int64_t offset = 0;
  if (!lies_within(place, target.unit, target.size, offset))
    refuse_range(place, target.unit, target.size, target.rank, window_.in_words());
  return target.address + static_cast<std::uint64_t>(offset);
}

void AdapterPath::put(Target& target, const proto::Buffer& origin, const TargetData& place, RmaRequest* request) {
  if (!ready(target) || !has_long_pieces(*place.type, place.count) || !has_long_pieces(*origin.type, origin.count))
    return window_.messages().put(target, origin, place, request);
  target.unflushed_accesses = true;
  move(target, Direction::write, origin, place, request);
}

void AdapterPath::get(Target& target, const proto::Buffer& result, const TargetData& place, RmaRequest* request) {
  if (!ready(target) || !has_long_pieces(*place.type, place.count) || !has_long_pieces(*result.type, result.count))
    return window_.messages().get(target, result, place, request);
  move(target, Direction::read, result, place, request);
}

void AdapterPath::move(Target& target, Direction direction, const proto::Buffer& mine, const TargetData& place,
                       RmaRequest* request) {
  const std::uint64_t base = locate(target, place);
  PieceReader theirs(*place.type, place.count, nullptr), ours(*mine.type, mine.count, mine.base);
  for (;;) {
    const std::span<std::byte> remote = theirs.piece(), local = ours.piece();
    const std::size_t bytes = std::min(remote.size(), local.size());
    if (bytes == 0) return;
    const std::uint64_t address = base + reinterpret_cast<std::uintptr_t>(remote.data());
    begin(target, request, [&](transport::Operation& operation) {
      return direction == Direction::write ? target.remote->put(local.first(bytes), address, operation)
                                           : target.remote->get(address, local.first(bytes), operation);
    });
    theirs.take(bytes);
    ours.take(bytes);
  }
}

// ---- accumulates

/// Whether the network accumulates elements of this type at this place. All who accumulate to a place get the same
/// answer.
bool AdapterPath::by_network(Target& target, const dtype::Datatype& element, const TargetData& place) {
  if (!has_atomics(element.element(), nullptr) || !window_.network_accumulates(element.size())) return false;
  if (!ready(target)) return false;
  const auto offset = static_cast<std::uint64_t>(offset_of(place.displacement, target.unit));
  return has_atomics(element.element(), reinterpret_cast<const void*>(target.address + offset));
}

void AdapterPath::accumulate(Target& target, const Accumulate& what, RmaRequest* request) {
  if (!by_network(target, *what.element, what.place)) return target.other->accumulate(target, what, request);
  const std::uint64_t base = locate(target, what.place);
  const std::size_t bytes = what.place.bytes(), each = what.element->size();
  std::vector<std::byte> in(what.has_data() ? bytes : 0);
  const Kept old = what.fetches() ? keep_bytes(bytes) : nullptr;
  if (what.has_data()) dtype::pack(*what.origin.type, what.origin.count, what.origin.base, in.data());
  PieceReader theirs(*what.place.type, what.place.count, nullptr);
  for (std::size_t at = 0; at < bytes; at += each) {
    const std::uint64_t address = base + reinterpret_cast<std::uintptr_t>(theirs.piece().data());
    theirs.take(each);
    const std::byte* const operand = in.empty() ? nullptr : in.data() + at;
    std::byte* const former = old == nullptr ? nullptr : old.get() + at;
    const auto kind = network_operation(what.op->predefined_as());
    if (!kind.has_value()) {
      update(target, what, address, operand, former);
      continue;
    }
    const transport::RemoteAtomic atomic{.kind = *kind,
                                         .bytes = static_cast<std::uint8_t>(each),
                                         .operand = operand == nullptr ? 0 : read_number(operand, each),
                                         .compare = 0};
    target.unflushed_accesses = true;  // for each element: another thread may flush while an access is waited for
    begin(target, nullptr, [&](transport::Operation& operation) {
      return begin_atomic(*target.remote, atomic, address, former, old, operation);
    });
  }
  if (old == nullptr) return;
  window_.await_accesses(target);
  dtype::unpack(*what.result.type, old.get(), bytes, what.result.base);
}

/// Updates one element with an operator that the network does not have: compares and swaps until no other update has
/// come between.
void AdapterPath::update(Target& target, const Accumulate& what, std::uint64_t address, const std::byte* in,
                         std::byte* old) {
  const std::size_t bytes = what.element->size();
  std::uint64_t seen =
      fetch(target,
            {.kind = transport::AtomicKind::add, .bytes = static_cast<std::uint8_t>(bytes), .operand = 0, .compare = 0},
            address);
  for (;;) {
    std::uint64_t next = seen;
    what.op->apply(in, &next, 1, *what.element);
    const std::uint64_t found = fetch(target,
                                      {.kind = transport::AtomicKind::compare_swap,
                                       .bytes = static_cast<std::uint8_t>(bytes),
                                       .operand = next,
                                       .compare = seen},
                                      address);
    if (found == seen) break;
    seen = found;
  }
  if (old != nullptr) std::memcpy(old, &seen, bytes);
}

/// Executes an atomic operation and waits for the former value.
std::uint64_t AdapterPath::fetch(Target& target, const transport::RemoteAtomic& atomic, std::uint64_t address) {
  target.unflushed_accesses = true;
  const Kept old = keep_bytes(sizeof(std::uint64_t));
  begin(target, nullptr, [&](transport::Operation& operation) {
    return begin_atomic(*target.remote, atomic, address, old.get(), old, operation);
  });
  window_.await_accesses(target);
  return read_number(old.get(), sizeof(std::uint64_t));
}

void AdapterPath::swap(Target& target, const Swap& what) {
  if (!by_network(target, *what.place.type, what.place)) return target.other->swap(target, what);
  const std::size_t bytes = what.place.bytes();
  const std::uint64_t address = locate(target, what.place);
  target.unflushed_accesses = true;
  const transport::RemoteAtomic atomic{.kind = transport::AtomicKind::compare_swap,
                                       .bytes = static_cast<std::uint8_t>(bytes),
                                       .operand = read_number(what.origin, bytes),
                                       .compare = read_number(what.compare, bytes)};
  begin(target, nullptr, [&](transport::Operation& operation) {
    return target.remote->atomic(atomic, address, what.result, operation);
  });
}

// ---- completion

void AdapterPath::begin_flush(Target& target) {
  window_.messages().begin_flush(target);
  if (!target.unflushed_accesses || target.lost != nullptr) return;
  target.unflushed_accesses = false;
  begin(target, nullptr, [&](transport::Operation& operation) {
    return window_.service().network_endpoint(target.process).flush(operation);
  });
}

bool AdapterPath::flushed(const Target& target) const noexcept {
  return (target.accesses == 0 || target.lost != nullptr) && window_.messages().flushed(target);
}

bool AdapterPath::locally_done(const Target& target) const noexcept {
  return (target.accesses == 0 || target.lost != nullptr) && window_.messages().locally_done(target);
}

}  // namespace bowline::rma
