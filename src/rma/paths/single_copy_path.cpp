// SPDX-License-Identifier: BSD-3-Clause
#include "rma/paths/single_copy_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "dtype/predefined.hpp"
#include "node/peer_memory.hpp"
#include "rma/accumulator.hpp"
#include "rma/paths/operand.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

/// Accumulates are done in portions of at most this many bytes.
constexpr std::size_t single_copy_portion = 16 << 10;

/// The next pieces of a stream.
struct Pieces {
  explicit Pieces(dtype::Cursor& cursor) : begin(cursor.position()), count(cursor.next_iovec(list)) {
    bytes = cursor.position() - begin;
  }
  /// The first `wanted` bytes from the cursor on; the cursor returns to them.
  std::span<const iovec> first(dtype::Cursor& cursor, std::size_t wanted) {
    std::size_t left = wanted, used = 0;
    while (left > 0) {
      list[used].iov_len = std::min(list[used].iov_len, left);
      left -= list[used++].iov_len;
    }
    cursor.seek(begin + wanted);
    return {list.data(), used};
  }

  std::array<iovec, node::most_pieces> list;
  std::size_t begin;
  std::size_t count;
  std::size_t bytes = 0;
};

}  // namespace

/// The address of the place's displacement in the target; nullptr if only the target knows whether the place is
/// attached. Throws Error (rma_range) if the place is outside.
std::byte* SingleCopyPath::locate(Target& target, const TargetData& place) const {
  if (window_.flavor() == Flavor::dynamic) {
    const RegionTable::Found found = window_.node().regions(target.member).find(place);
    if (found == RegionTable::Found::no) refuse_unattached(place, target.rank, window_.in_words());
    if (found == RegionTable::Found::unknown) return nullptr;
    return reinterpret_cast<std::byte*>(place.displacement);
  }
  std::int64_t offset = 0;
  if (!lies_within(place, target.unit, target.size, offset))
    refuse_range(place, target.unit, target.size, target.rank, window_.in_words());
  return reinterpret_cast<std::byte*>(target.address) + offset;
}

/// Whether the last system call was refused; then messages serve the target from now on.
bool SingleCopyPath::is_refused(Target& target) noexcept {
  if (errno != EPERM && errno != EACCES && errno != ENOSYS) return false;
  log::info("cross-memory attach to {} is refused ({}): operations on its window use messages",
            process_name(target.process), std::strerror(errno));
  window_.leave_single_copy(target);
  return true;
}

/// Copies between the two streams. Returns false if the kernel refuses the system call; then nothing was copied.
bool SingleCopyPath::move(Target& target, Direction direction, dtype::Cursor& theirs, dtype::Cursor& mine,
                          std::size_t bytes) {
  const node::ProcessMark& process = target.control->facts.process;
  while (bytes > 0) {
    Pieces remote(theirs), local(mine);
    const std::size_t now = std::min({remote.bytes, local.bytes, bytes});
    const auto remote_list = remote.first(theirs, now), local_list = local.first(mine, now);
    const ssize_t moved = direction == Direction::read ? node::read_pieces(process, remote_list, local_list)
                                                       : node::write_pieces(process, local_list, remote_list);
    if (moved == static_cast<ssize_t>(now)) {
      bytes -= now;
      continue;
    }
    if (moved < 0 && errno == EINTR) {
      theirs.seek(remote.begin);
      mine.seek(local.begin);
      continue;
    }
    if (moved < 0 && is_refused(target)) return false;
    if (moved < 0 && errno == ESRCH) {
      throw Error(
          ErrorClass::proc_failed,
          fmt::format("{}, rank {} of {}, has ended", process_name(target.process), target.rank, window_.in_words()),
          target.process);
    }
    throw Error(ErrorClass::rma_range, fmt::format("the memory of rank {} of {} at {} is not {} for {} bytes: {}",
                                                   target.rank, window_.in_words(), fmt::ptr(remote_list[0].iov_base),
                                                   direction == Direction::read ? "readable" : "writable", now,
                                                   moved < 0 ? std::strerror(errno) : "only a part of it is"));
  }
  return true;
}

void SingleCopyPath::put(Target& target, const proto::Buffer& origin, const TargetData& place, RmaRequest* request) {
  std::byte* const base = locate(target, place);
  dtype::Cursor theirs(*place.type, place.count, base), mine(*origin.type, origin.count, origin.base);
  if (base == nullptr || !move(target, Direction::write, theirs, mine, place.bytes()))
    window_.messages().put(target, origin, place, request);
}

void SingleCopyPath::get(Target& target, const proto::Buffer& result, const TargetData& place, RmaRequest* request) {
  std::byte* const base = locate(target, place);
  dtype::Cursor theirs(*place.type, place.count, base), mine(*result.type, result.count, result.base);
  if (base == nullptr || !move(target, Direction::read, theirs, mine, place.bytes()))
    window_.messages().get(target, result, place, request);
}

void SingleCopyPath::accumulate(Target& target, const Accumulate& what, RmaRequest* request) {
  std::byte* const base = locate(target, what.place);
  if (base == nullptr || !update(target, what, base)) window_.messages().accumulate(target, what, request);
}

/// Reads, combines and writes, a portion at a time. Returns false if the kernel refuses the system call.
bool SingleCopyPath::update(Target& target, const Accumulate& what, std::byte* base) {
  const dtype::Datatype& element = *what.element;
  const Exclusion shared = window_.exclusion(target.control);
  const Exclusion of_copy{.holders = shared.holders};
  alignas(64) std::array<std::byte, single_copy_portion> copy;
  const std::size_t elements = single_copy_portion / static_cast<std::size_t>(element.extent());
  const std::size_t bytes = what.place.bytes(), each = elements * element.size();
  Operand origin(what.origin, each), result(what.result, each);
  const bool writes = what.op->predefined_as() != dtype::Operator::no_op;
  for (std::size_t at = 0; at < bytes; at += each) {
    const std::size_t now = std::min(each, bytes - at), count = now / element.size();
    origin.read(now);
    {
      const AccumulateLock hold(shared.lock, shared.mine, *shared.holders);
      dtype::Cursor theirs(*what.place.type, what.place.count, base), mine(element, count, copy.data());
      theirs.seek(at);
      if (!move(target, Direction::read, theirs, mine, now)) return false;
      Accumulator(of_copy, *what.op, element, element, count, copy.data())
          .apply(0, origin.take(at, now), result.take(at, now));
      theirs.seek(at);
      mine.seek(0);
      if (writes && !move(target, Direction::write, theirs, mine, now)) return false;
    }
    result.write(now);
  }
  return true;
}

void SingleCopyPath::swap(Target& target, const Swap& what) {
  std::byte* const base = locate(target, what.place);
  const dtype::Datatype& type = *what.place.type;
  const Exclusion shared = window_.exclusion(target.control);
  bool served = base != nullptr;
  if (served) {
    const AccumulateLock hold(shared.lock, shared.mine, *shared.holders);
    dtype::Cursor theirs(type, 1, base), result(type, 1, what.result), origin(type, 1, what.origin);
    served = move(target, Direction::read, theirs, result, type.size());
    theirs.seek(0);
    if (served && std::memcmp(what.result, what.compare, type.size()) == 0)
      served = move(target, Direction::write, theirs, origin, type.size());
  }
  if (!served) window_.messages().swap(target, what);
}

void SingleCopyPath::begin_flush(Target& target) {
  window_.messages().begin_flush(target);
}

bool SingleCopyPath::flushed(const Target& target) const noexcept {
  return window_.messages().flushed(target);
}

bool SingleCopyPath::locally_done(const Target& target) const noexcept {
  return window_.messages().locally_done(target);
}

}  // namespace bowline::rma
