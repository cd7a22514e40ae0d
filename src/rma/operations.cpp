// SPDX-License-Identifier: BSD-3-Clause
// Windows: operations, and the choice of their path.
#include <fmt/format.h>

#include "base/error.hpp"
#include "dtype/elements.hpp"
#include "rma/paths/mapped_run.hpp"
#include "rma/paths/path_of_target.hpp"
#include "rma/paths/whole_words.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

[[noreturn, gnu::cold]] void refuse_lengths(std::size_t origin, std::size_t target, const char* side) {
  throw Error(ErrorClass::truncate,
              fmt::format("the {} buffer has {} bytes of data, but the target's count and datatype describe {}: both "
                          "sides of a one-sided operation have equally many",
                          side, origin, target));
}

/// Throws Error unless both sides of an operation have the same length.
inline void check_lengths(const proto::Buffer& origin, const TargetData& place, const char* side) {
  if (origin.bytes() != place.bytes()) [[unlikely]]
    refuse_lengths(origin.bytes(), place.bytes(), side);
}

/// The target's side, if both sides are a run of bytes, and the target's lies in memory that is mapped here.
inline std::byte* run_on_both_sides(const Target& target, const proto::Buffer& origin,
                                    const TargetData& place) noexcept {
  return origin.type->contiguous() ? mapped_run(target, place) : nullptr;
}

/// Whether the operation accumulates equally many elements of one predefined type without holes on all sides.
inline bool is_plain(const Accumulate& what) noexcept {
  const TargetData& place = what.place;
  const auto alike_or_none = [&place](const proto::Buffer& buffer) {
    return buffer.type == nullptr || (buffer.type == place.type && buffer.count == place.count);
  };
  return place.type->predefined() && place.type->contiguous() && alike_or_none(what.origin) &&
         alike_or_none(what.result) && what.op->accumulates(*place.type);
}

}  // namespace

void Window::put(int rank, const proto::Buffer& origin, const TargetData& place, RmaRequest* request) {
  Target& to = access(rank);
  check_lengths(origin, place, "origin");
  if (std::byte* const run = run_on_both_sides(to, origin, place)) [[likely]] {
    move_whole_words(run, origin.data(), origin.bytes());
  } else if (origin.bytes() > 0) {
    to.path->put(to, origin, place, request);
  }
}

void Window::get(int rank, const proto::Buffer& result, const TargetData& place, RmaRequest* request) {
  Target& from = access(rank);
  check_lengths(result, place, "origin");
  if (const std::byte* const run = run_on_both_sides(from, result, place)) [[likely]] {
    move_whole_words(result.data(), run, result.bytes());
  } else if (result.bytes() > 0) {
    from.path->get(from, result, place, request);
  }
}

/// The most frequent accumulate, in which there is nothing to take to pieces: plain elements, in memory that is mapped
/// here. Returns false if it is another one.
bool Window::accumulate_mapped(const Target& to, const Accumulate& what) const {
  if (to.accumulates != &mapped_ || !is_plain(what)) return false;
  std::byte* const run = mapped_run(to, what.place);
  if (run == nullptr) return false;
  const std::size_t bytes = what.place.bytes();
  accumulate_run(exclusion(to.control), *what.op, *what.place.type, {what.origin.base, what.has_data() ? bytes : 0},
                 {what.result.base, what.fetches() ? bytes : 0}, run);
  return true;
}

void Window::accumulate(int rank, Accumulate&& what, RmaRequest* request) {
  Target& to = access(rank);
  if (accumulate_mapped(to, what)) return;
  if (what.has_data()) check_lengths(what.origin, what.place, "origin");
  if (what.fetches()) check_lengths(what.result, what.place, "result");
  if (what.place.bytes() == 0) return;
  what.element = &accumulated(*what.op, *what.place.type);
  if (what.has_data()) check_elements(what.origin, *what.element, "origin");
  if (what.fetches()) check_elements(what.result, *what.element, "result");
  if (!what.has_data() && !what.fetches()) return;  // MPI_NO_OP
  to.accumulates->accumulate(to, what, request);
}

void Window::swap(int rank, const Swap& what) {
  Target& to = access(rank);
  to.accumulates->swap(to, what);
}

/// Throws Error (type) unless a buffer consists of the same elements as the target.
void Window::check_elements(const proto::Buffer& buffer, const dtype::Datatype& element, const char* side) {
  if (buffer.type == &element) return;
  const dtype::Datatype* const own = dtype::uniform_element(*buffer.type);
  if (own != nullptr && (own == &element || (own->predefined() && own->element() == element.element()))) return;
  if (own != nullptr && own->predefined() && element.predefined() && own->size() == element.size()) return;
  throw Error(ErrorClass::type,
              fmt::format("the {} datatype {} does not consist of the elements of the target's datatype, {}", side,
                          buffer.type->description(), element.description()));
}

// ---- targets

Target& Window::first_contact(int rank) {
  const int process = comm_.process(rank), member = node_->member_of(rank);
  const bool own = rank == this->rank();
  const bool near = member >= 0 && (own || !only_messages());
  // Before the table has the target: a process that cannot be reached is none.
  const auto network =
      near || only_messages() ? transport::RemoteAccess::none : engine_.peer(process).endpoint->limits().access;
  Target& made = targets_.add(rank);
  made.process = process;
  made.member = member;
  if (near) {
    made.control = &node_->control(made.member);
    const MemberFacts& facts = made.control->facts;
    made.size = facts.size;
    made.unit = facts.unit;
    made.address = facts.address;
    made.known = true;
    if (flavor_ != Flavor::dynamic) made.base = own ? static_cast<std::byte*>(base_) : node_->data(made.member);
  }
  choose_paths(made, network);
  return made;
}

void Window::choose_paths(Target& target, transport::RemoteAccess network) {
  const bool own = target.rank == rank(), near = target.control != nullptr;
  const PathChoice choice = choose_path({.own = own,
                                         .mapped = target.base != nullptr,
                                         .single_copy = near && node_->single_copy(),
                                         .dynamic = flavor_ == Flavor::dynamic,
                                         .network = network});
  target.path = &path(choice.data);
  target.accumulates = &path(choice.accumulates);
  if (choice.data != PathKind::mapped) target.base = nullptr;
  if (network_accumulates_ == 0) return;
  target.other = target.accumulates;
  target.accumulates = &adapter_;
}

TargetPath& Window::path(PathKind kind) noexcept {
  switch (kind) {
    case PathKind::mapped:
      return mapped_;
    case PathKind::single_copy:
      return single_copy_;
    case PathKind::adapter:
      return adapter_;
    case PathKind::messages:
      break;
  }
  return messages_;
}

void Window::leave_single_copy(Target& target) noexcept {
  target.path = &messages_;
  if (target.accumulates == &single_copy_) target.accumulates = &messages_;
  if (target.other == &single_copy_) target.other = &messages_;
}

/// Opens a target that the access epoch does not allow yet: under MPI_Win_lock_all it is locked at the first operation.
/// Throws Error (rma_sync) if there is no access epoch, or if the target does not belong to it.
void Window::open(Target& target) {
  switch (epochs_.access()) {
    case Epochs::Access::lock_all:
      if (!lock_all_nocheck_) take_lock_once(target);
      target.open = true;
      return;
    case Epochs::Access::start:
      throw Error(ErrorClass::rma_sync,
                  fmt::format("rank {} of {} does not belong to the group that MPI_Win_start was given", target.rank,
                              in_words()));
    case Epochs::Access::lock:
      throw Error(ErrorClass::rma_sync, fmt::format("rank {} of {} is not locked: MPI_Win_lock has locked other ranks",
                                                    target.rank, in_words()));
    default:
      throw Error(
          ErrorClass::rma_sync,
          fmt::format("no access epoch is open on {}: begin one with MPI_Win_fence, MPI_Win_start, MPI_Win_lock "
                      "or MPI_Win_lock_all",
                      in_words()));
  }
}

void Window::note_pending(Target& target) {
  if (target.pending) return;
  pending_.push_back(&target);
  target.pending = true;
}

}  // namespace bowline::rma
