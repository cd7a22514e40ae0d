// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/collective/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/error_sentences.hpp"
#include "coll/algorithms/barrier/barrier.hpp"
#include "coll/calls/collectives.hpp"
#include "coll/channel/agreement.hpp"
#include "dtype/construction/construct.hpp"
#include "dtype/predefined.hpp"
#include "mpiio/file/together.hpp"

namespace bowline::mpiio {
namespace {

/// An error in the form in which it travels between processes.
struct Notice {
  std::int32_t error_class = 0;
  std::array<char, 1020> text{};
};

void add(Summary& all, const Summary& other) noexcept {
  all.failed = std::min(all.failed, other.failed);
  all.begin = std::min(all.begin, other.begin);
  all.end = std::max(all.end, other.end);
  all.individual += other.individual;
  all.spans += other.spans;
  all.pieces += other.pieces;
  all.looked += other.looked;
  all.granule = std::gcd(all.granule, other.granule);
  all.time += other.time;
}

/// A reduction operator on Summary, which travels as an array of bytes.
void combine_summaries(void*, const void* in, void* inout, std::size_t count, const dtype::Datatype&) {
  const auto* from = static_cast<const std::byte*>(in);
  auto* to = static_cast<std::byte*>(inout);
  for (std::size_t i = 0; i < count; ++i, from += sizeof(Summary), to += sizeof(Summary)) {
    Summary own, other;
    std::memcpy(&own, to, sizeof own);
    std::memcpy(&other, from, sizeof other);
    add(own, other);
    std::memcpy(to, &own, sizeof own);
  }
}

const coll::Reduction& of_summaries() {
  static const coll::Reduction& reduction = []() -> const coll::Reduction& {
    dtype::Envelope bytes{.combiner = dtype::Combiner::contiguous, .large = true};
    bytes.counts = {sizeof(Summary)};
    dtype::Datatype& type = dtype::compose(std::move(bytes), dtype::byte_type());
    type.commit();
    const dtype::Op& op = dtype::Op::make({.call = combine_summaries, .context = nullptr}, true);
    return *new coll::Reduction(op, type);
  }();
  return reduction;
}

}  // namespace

Task combine_all(coll::TeamChannel& channel, const coll::Reduction& reduction, std::span<std::byte> values) {
  coll::Arguments arguments{.input = values, .result = values, .reduction = &reduction};
  Task combining = coll::begin(channel, coll::Operation::allreduce, arguments, coll::CallForm::internal);
  co_await combining;
  channel.check();
}

Task minimize_all(coll::TeamChannel& channel, std::span<std::int64_t> values) {
  return combine_all(channel, minimum(), std::as_writable_bytes(values));
}

Task meet(coll::Channel& channel, const coll::Members& members, int index) {
  coll::SubChannel unit(channel, members, index);
  const coll::Arguments nothing;
  Task meeting = coll::barrier_dissemination(unit, nothing);
  co_await meeting;
  channel.check();
}

Task spread_in_unit(coll::Channel& channel, const coll::Members& members, int index, std::span<std::byte> data) {
  coll::SubChannel unit(channel, members, index);
  const coll::Arguments arguments{.result = data};
  Task spreading = coll::bcast_binomial(unit, arguments);
  co_await spreading;
  channel.check();
}

Task share_error(coll::TeamChannel& channel, std::optional<Error>& error) {
  std::array<std::int64_t, 1> first = {error ? channel.rank() : channel.size()};
  Task finding = minimize_all(channel, first);
  co_await finding;
  if (first[0] == channel.size()) co_return;
  const int root = static_cast<int>(first[0]);
  Notice notice;
  if (channel.rank() == root) {
    notice.error_class = static_cast<std::int32_t>(error->error_class());
    std::ranges::copy(cut_text(error->what(), notice.text.size() - 1), notice.text.begin());
  }
  coll::Arguments arguments{.root = root, .result = std::as_writable_bytes(std::span(&notice, 1))};
  Task spreading = coll::begin(channel, coll::Operation::bcast, arguments, coll::CallForm::internal);
  co_await spreading;
  channel.check();
  if (error) co_return;
  error = Error(static_cast<ErrorClass>(notice.error_class), fmt::format("on rank {}: {}", root, notice.text.data()));
}

Task summarize_all(coll::TeamChannel& channel, Summary& summary) {
  return combine_all(channel, of_summaries(), std::as_writable_bytes(std::span(&summary, 1)));
}

}  // namespace bowline::mpiio
