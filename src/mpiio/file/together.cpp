// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/file/together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error_sentences.hpp"
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "coll/calls/collectives.hpp"
#include "coll/calls/drive.hpp"
#include "dtype/predefined.hpp"
#include "proto/engine.hpp"

namespace bowline::mpiio {
namespace {

// Values of the standard ABI.
constexpr std::uintptr_t sum_handle = 0x21;
constexpr std::uintptr_t min_handle = 0x22;
constexpr std::uintptr_t int64_handle = 0x258;

/// Lives until the process ends.
const coll::Reduction& of_integers(std::uintptr_t op_handle) {
  return *new coll::Reduction(*dtype::predefined_op(op_handle), *dtype::predefined_datatype(int64_handle));
}

/// An error in the form in which it travels between processes.
struct FailureNotice {
  std::int32_t error_class = 0;
  std::array<char, 1020> text{};
};

FailureNotice notice_of(const Error& error) {
  FailureNotice notice{.error_class = static_cast<std::int32_t>(error.error_class())};
  const std::string text = cut_text(error.what(), notice.text.size() - 1);
  std::ranges::copy(text, notice.text.begin());
  return notice;
}

}  // namespace

const coll::Reduction& sum() {
  static const coll::Reduction& reduction = of_integers(sum_handle);
  return reduction;
}

const coll::Reduction& minimum() {
  static const coll::Reduction& reduction = of_integers(min_handle);
  return reduction;
}

void spread(coll::Team& team, int root, std::span<std::byte> data) {
  const LockGuard lane(team.engine.lock());
  coll::bcast(team, root, data);
}

void minimize(coll::Team& team, std::span<std::int64_t> values, Calls calls) {
  const LockGuard lane(team.engine.lock());
  const auto bytes = std::as_writable_bytes(values);
  coll::Arguments arguments{.input = bytes, .result = bytes, .reduction = &minimum()};
  if (calls == Calls::many || team.blocking.slots != nullptr) {
    coll::run(team, coll::Operation::allreduce, arguments, coll::CallForm::internal);
  } else {
    coll::drive(team, team.blocking.next_tag(), team.next_id(coll::CallKind::file_access()),
                [&](coll::Channel& channel) { return coll::allreduce_recursive_doubling(channel, arguments); });
  }
}

std::optional<Error> common_error(coll::Team& team, const std::optional<Error>& mine, Calls calls) {
  std::int64_t first = mine ? team.rank : team.size;
  minimize(team, {&first, 1}, calls);
  if (first == team.size) return std::nullopt;
  const int root = static_cast<int>(first);
  FailureNotice notice;
  if (team.rank == root) notice = notice_of(*mine);
  spread(team, root, std::as_writable_bytes(std::span(&notice, 1)));
  if (mine) return mine;
  return Error(static_cast<ErrorClass>(notice.error_class), fmt::format("on rank {}: {}", root, notice.text.data()));
}

void check_same(coll::Team& team, std::int64_t value, const char* what) {
  std::array<std::int64_t, 2> bounds = {value, -value};
  minimize(team, bounds);
  if (bounds[0] == -bounds[1]) return;
  throw Error(ErrorClass::not_same,
              fmt::format("{} is {} here, and {} to {} among all ranks: it must be the same on all of them", what,
                          value, bounds[0], -bounds[1]));
}

}  // namespace bowline::mpiio
