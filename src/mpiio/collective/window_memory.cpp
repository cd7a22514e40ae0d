// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/collective/window_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/log.hpp"
#include "mpiio/collective/steps.hpp"
#include "mpiio/file/together.hpp"

namespace bowline::mpiio {
namespace {

constexpr std::size_t word_alignment = 64;

}  // namespace

/// Among several units, the i-th aggregators exchange messages, for which only these processes have memory. The i-th
/// aggregators of two accesses are the same processes only if the number of aggregators is the same.
bool WindowMemory::Shape::holds(const Shape& other) const noexcept {
  const bool same_aggregators = other.units.count() == 1 || each == other.each;
  return window >= other.window && each >= other.each && windows >= other.windows && same_aggregators &&
         units == other.units;
}

// The coverage has room for granules of one byte.

std::size_t WindowMemory::Shape::window_bytes() const noexcept {
  const std::size_t words = Coverage::words_for(window) * sizeof(std::uint64_t);
  return (window + words + word_alignment + page - 1) / page * page;
}

std::size_t WindowMemory::Shape::bytes() const noexcept {
  return page + static_cast<std::size_t>(each) * static_cast<std::size_t>(windows) * window_bytes();
}

FileWindow WindowMemory::window(int i, int which) const noexcept {
  std::byte* const begin = base_ + page + static_cast<std::size_t>(i * shape_.windows + which) * shape_.window_bytes();
  auto* const words = reinterpret_cast<std::uint64_t*>(begin + shape_.window);
  const std::size_t count = Coverage::words_for(shape_.window);
  return {.image = begin, .words = {words, count}, .valid_end = reinterpret_cast<Offset*>(words + count)};
}

Task WindowMemory::prepare(coll::TeamChannel& channel, const Plan& plan, bool& usable) {
  const Units& units = plan.units();
  const Shape wanted{plan.window(), plan.each(), units.count() > 1 ? 3 : 2, units};
  usable = true;
  if (shape_.holds(wanted)) co_return;
  shape_ = {};
  const int unit = units.unit(channel.rank()), index = units.index(channel.rank());
  const coll::Members members = units.members(unit);
  node::Ticket ticket;
  std::optional<Error> failure;
  if (index == 0) failure = attempt([&] { make(wanted, members.count, ticket); });
  if (members.count > 1) {
    Task spreading = spread_in_unit(channel, members, index, std::as_writable_bytes(std::span(&ticket, 1)));
    co_await spreading;
    if (index != 0) failure = attempt([&] { join(wanted, ticket); });
  }
  if (!failure && units.count() > 1 && plan.role(channel.rank()) >= 0)
    failure = attempt([&] { make_messages(wanted); });
  if (failure) log::info("collective accesses to a file go without shared memory: {}", failure->what());
  std::array<std::int64_t, 1> all = {failure ? 0 : 1};
  Task agreeing = minimize_all(channel, all);
  co_await agreeing;
  segment_.reset();  // all have joined
  usable = all[0] != 0;
  if (usable) shape_ = wanted;
}

void WindowMemory::make(const Shape& shape, int unit_size, node::Ticket& ticket) {
  const std::size_t bytes = shape.bytes();
  mapping_ = {};
  own_.reset();
  if (unit_size == 1) {
    own_.reset(new std::byte[bytes + page]());
    base_ = own_.get() + (page - reinterpret_cast<std::uintptr_t>(own_.get()) % page) % page;
    return;
  }
  segment_ = node::Segment::create("bowline-windows", bytes);
  segment_->reserve(0, bytes);
  ticket = segment_->offer();
  mapping_ = segment_->map(0, bytes);
  base_ = mapping_.data();
}

void WindowMemory::make_messages(const Shape& shape) {
  const std::size_t most = shape.window + Coverage::words_for(shape.window) * sizeof(std::uint64_t) + word_alignment;
  outgoing_.reserve(most);
  incoming_.reserve(most);
}

void WindowMemory::join(const Shape& shape, const node::Ticket& ticket) {
  mapping_ = {};
  own_.reset();
  mapping_ = node::Segment::open(ticket, shape.bytes()).segment.map(0, shape.bytes());
  base_ = mapping_.data();
}

}  // namespace bowline::mpiio
