// SPDX-License-Identifier: BSD-3-Clause
#include "coll/calls/call_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/tunable.hpp"
#include "coll/selection/selection.hpp"

namespace bowline::coll {
namespace {

constexpr std::uint32_t call_mark = 0xca11ab1e;

template <std::size_t size>
void put(std::array<char, size>& room, std::string_view text) noexcept {
  std::ranges::copy(text.substr(0, size - 1), room.begin());
}
template <std::size_t size>
std::string_view text_of(const std::array<char, size>& room) noexcept {
  return {room.data(), static_cast<std::size_t>(std::ranges::find(room, '\0') - room.begin())};
}

/// Whether all members know the length of the data: see bytes_of().
bool has_length(Operation operation) noexcept {
  switch (operation) {
    case Operation::barrier:
    case Operation::gatherv:
    case Operation::scatterv:
    case Operation::alltoallv:
    case Operation::neighbor_allgather:
    case Operation::neighbor_alltoall:
      return false;
    default:
      return true;
  }
}

Call common(int rank, Operation operation, CallForm form, const Arguments& arguments) {
  Call call{.mark = call_mark, .rank = rank, .operation = operation, .form = form, .root = -1};
  if (arguments.reduction != nullptr) {
    put(call.op, arguments.reduction->op().name());
    if (arguments.reduction->type().predefined()) put(call.type, arguments.reduction->type().name());
  }
  return call;
}

std::string in_words(const Call& call) {
  std::string text = fmt::format("rank {} calls {}", call.rank, in_words(CallKind(call.operation, call.form)));
  if (call.form == CallForm::internal) return text;
  if (call.bystander) return text + " with root MPI_PROC_NULL";
  if (call.knows_bytes) fmt::format_to(std::back_inserter(text), " with {} bytes", call.bytes);
  if (!text_of(call.op).empty()) {
    fmt::format_to(std::back_inserter(text), ", {} of {}", text_of(call.op),
                   text_of(call.type).empty() ? "a derived datatype" : text_of(call.type));
  }
  if (call.root >= 0) fmt::format_to(std::back_inserter(text), ", root {}", call.root);
  return text;
}

/// Why two calls do not match.
struct Difference {
  ErrorClass error_class = ErrorClass::success;
  std::string_view rule = {};
};

Difference difference(const Call& a, const Call& b) noexcept {
  if (a.operation != b.operation || (a.form == CallForm::internal) != (b.form == CallForm::internal)) {
    return {ErrorClass::other, "all must call the same collectives in the same order"};
  }
  if (a.form != b.form) return {ErrorClass::other, "all must call the same of the blocking, MPI_I and _init forms"};
  if (a.bystander || b.bystander) return {};
  if (a.root != b.root) return {ErrorClass::root, "all must give the same root"};
  if (a.op != b.op) return {ErrorClass::op, "all must give the same operator"};
  if (a.type != b.type) return {ErrorClass::type, "all must give the same datatype"};
  if (a.bytes != b.bytes) return {ErrorClass::count, "all must give the same amount of data"};
  if (a.algorithm != b.algorithm || a.segment != b.segment) {
    return {ErrorClass::other,
            "they would run different algorithms, because the rules for choosing one (the tunables collectives, "
            "collectives_file and coll_reproducible, the hint bowline_collectives) are not the same at all ranks"};
  }
  return {};
}

bool differ(const Call& a, const Call& b) noexcept {
  return difference(a, b).error_class != ErrorClass::success;
}

/// The first member that is no bystander (a bystander if all members are), and the first member whose call differs from
/// that member's call.
struct Finding {
  Call first;
  Call other;  ///< without a mark: no call differs

  bool mismatch() const noexcept { return other.mark == call_mark; }

  /// Adds the finding of other members; the two sets of members may overlap.
  void add(Finding theirs) noexcept {
    if (std::pair(theirs.first.bystander, theirs.first.rank) < std::pair(first.bystander, first.rank))
      std::swap(*this, theirs);
    const auto offer = [this](const Call& call) {
      if (call.mark == call_mark && differ(first, call) && (!mismatch() || call.rank < other.rank)) other = call;
    };
    offer(theirs.first);
    offer(theirs.other);
  }
};

[[noreturn]] void refuse(const Call& one, const Call& other) {
  const Difference found = difference(one, other);
  const bool settings = one.bytes == other.bytes && one.root == other.root && one.algorithm != other.algorithm &&
                        found.error_class == ErrorClass::other && one.operation == other.operation;
  const std::string names =
      settings ? fmt::format(" (by {} and {})", text_of(one.algorithm), text_of(other.algorithm)) : std::string();
  throw Error(found.error_class, fmt::format("{}, but {}{}: {}", in_words(one), in_words(other), names, found.rule));
}

}  // namespace

Call describe(Team& team, Operation operation, CallForm form, const Arguments& arguments) {
  Call call = common(team.rank, operation, form, arguments);
  if (has_root(operation)) call.root = arguments.root;
  call.bytes = bytes_of(operation, arguments, team.size);
  call.knows_bytes = has_length(operation);
  const Choice choice = choose(operation, situation_of(team, team.blocking, operation, arguments), team.rules.get());
  put(call.algorithm, choice.algorithm->name);
  call.segment = choice.segment;
  return call;
}

Call describe_agreement(const Team& team) {
  return common(team.rank, Operation::allreduce, CallForm::internal, {});
}

Call describe_inter(int rank, Operation operation, CallForm form, const Arguments& arguments) {
  Call call = common(rank, operation, form, arguments);
  if (!has_root(operation)) return call;
  call.bystander = arguments.root < 0;
  if (!call.bystander) call.root = arguments.root;
  return call;
}

// Dissemination, as in the barrier: after round k a member knows the calls of the 2^k members below it.
Task agree(Channel& channel, Call mine) {
  const int size = channel.size();
  Finding known{.first = mine, .other = {}};
  for (int distance = 1; distance < size; distance *= 2) {
    const int from = (channel.rank() - distance + size) % size;
    Finding theirs{};
    const Finding mine_so_far = known;
    auto heard = channel.receive(from, std::as_writable_bytes(std::span(&theirs, 1)));
    auto told = channel.send((channel.rank() + distance) % size, std::as_bytes(std::span(&mine_so_far, 1)));
    co_await told;
    co_await heard;
    if (channel.failed()) continue;  // no call arrived; this member passes the failure on
    if (theirs.first.mark != call_mark) {
      throw Error(ErrorClass::other, fmt::format("{}, but rank {} calls another function that all ranks of the "
                                                 "communicator take part in, such as MPI_Comm_free: all must call the "
                                                 "same collectives in the same order",
                                                 in_words(mine), from));
    }
    known.add(theirs);
  }
  channel.check();
  if (known.mismatch()) refuse(known.first, known.other);
}

Task checked(Channel& channel, Call mine, Task body) {
  Task agreeing = agree(channel, mine);
  co_await agreeing;
  co_await body;
}

}  // namespace bowline::coll
