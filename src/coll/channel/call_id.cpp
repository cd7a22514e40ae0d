// SPDX-License-Identifier: BSD-3-Clause
#include "coll/channel/call_id.hpp"

#include <fmt/format.h>

#include <string_view>

#include "dtype/predefined.hpp"

namespace bowline::coll {
namespace {

constexpr std::string_view rule =
    "all ranks of a communicator must call the same collectives in the same order, with the same root, operator and "
    "types";

std::string in_words(dtype::Operator op) {
  return op == dtype::Operator::count_ ? "an operator of its own" : dtype::op_of(op).name();
}

/// What differs between calls of one kind: "gives the root 1 where this process gives 0".
std::string difference(CallId theirs, CallId mine) {
  if (theirs.root() != mine.root())
    return fmt::format("gives the root {} where this process gives {}", theirs.root(), mine.root());
  if (theirs.op() != mine.op())
    return fmt::format("gives {} where this process gives {}", in_words(theirs.op()), in_words(mine.op()));
  if (!dtype::may_match(theirs.type(), mine.type()))
    return fmt::format("gives {} where this process gives {}", in_words(theirs.type()), in_words(mine.type()));
  return theirs.number() != mine.number() ? "has called another number of collectives before"
                                          : "has called other collectives before";
}

/// What may differ between calls of one kind whose marks differ: "with another root than 0 or after other collectives".
std::string possible_differences(CallId mine) {
  std::string words;
  if (mine.root() >= 0) words += fmt::format("with another root than {} or ", mine.root());
  if (mine.op() != dtype::Operator::count_)
    words += fmt::format("with another operator than {} or ", in_words(mine.op()));
  return words + "after other collectives";
}

/// The class of the error by which other libraries and MPI's own words call the difference.
ErrorClass class_of_difference(CallId theirs, CallId mine) noexcept {
  if (theirs.kind() != mine.kind()) return ErrorClass::other;
  if (theirs.root() != mine.root()) return ErrorClass::root;
  if (theirs.op() != mine.op()) return ErrorClass::op;
  return dtype::may_match(theirs.type(), mine.type()) ? ErrorClass::other : ErrorClass::type;
}

Error different_kinds(int member, CallKind theirs, CallKind mine) {
  return {ErrorClass::other, fmt::format("rank {} of the communicator calls {} where this process calls {}: {}", member,
                                         in_words(theirs), in_words(mine), rule)};
}

}  // namespace

Error different_calls(int member, CallId theirs, CallId mine) {
  if (theirs.kind() != mine.kind()) return different_kinds(member, theirs.kind(), mine.kind());
  return {class_of_difference(theirs, mine),
          fmt::format("rank {} of the communicator calls {}, as this process does, but {}: {}", member,
                      in_words(mine.kind()), difference(theirs, mine), rule)};
}

Error different_calls(int member, std::uint16_t their_mark, CallId mine) {
  const CallId theirs = CallId::of_mark(their_mark);
  if (theirs.kind() != mine.kind()) return different_kinds(member, theirs.kind(), mine.kind());
  if (!dtype::may_match(theirs.type(), mine.type()))
    return {ErrorClass::type,
            fmt::format("rank {} of the communicator calls {}, as this process does, but gives {} "
                        "where this process gives {}: {}",
                        member, in_words(mine.kind()), in_words(theirs.type()), in_words(mine.type()), rule)};
  return {ErrorClass::other, fmt::format("rank {} of the communicator calls {}, as this process does, but {}: {}",
                                         member, in_words(mine.kind()), possible_differences(mine), rule)};
}

Error other_call_completed(int member) {
  return {ErrorClass::other,
          fmt::format("rank {} of the communicator has completed another call than this process, which waits for its "
                      "part: {}",
                      member, rule)};
}

}  // namespace bowline::coll
