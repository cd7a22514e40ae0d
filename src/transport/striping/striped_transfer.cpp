// SPDX-License-Identifier: BSD-3-Clause
#include "transport/striping/striped_transfer.hpp"

#include <algorithm>

#include "base/counter.hpp"
#include "base/error.hpp"

namespace bowline::transport {
namespace {

Counter striped_bytes(Category::networks, "striped_bytes",
                      "bytes of long messages that went over further adapters than the first");

/// The length of all parts but the last.
std::size_t part_length(std::size_t bytes, std::size_t parts, std::size_t align) noexcept {
  return ((bytes + parts - 1) / parts + align - 1) / align * align;
}

}  // namespace

StripedTransfer::StripedTransfer(StripingState& state, StripedPeer& peer, Direction direction,
                                 std::span<const std::byte> first_key, Operation& operation) noexcept
    : state_(state), peer_(peer), direction_(direction), operation_(operation), key_bytes_(first_key.size()) {
  std::ranges::copy(first_key, first_key_.begin());
}

Access StripedTransfer::begin(StripingState& state, StripedPeer& peer, Direction direction, std::span<std::byte> local,
                              std::uintptr_t address, std::span<const RailPath> paths, Operation& operation) {
  StripedTransfer& transfer = *state.transfers.make(state, peer, direction, paths[0].key, operation);
  const std::size_t length = part_length(local.size(), paths.size(), state.limits.align);
  std::size_t count = 0;
  for (std::size_t at = 0; at < local.size(); at += length, ++count) {
    Part& part = transfer.parts_[count];
    part.whole = &transfer;
    part.rail = paths[count].rail;
    part.local = local.subspan(at, std::min(length, local.size() - at));
    part.address = address + at;
  }
  try {
    const Access first = transfer.start(transfer.parts_[0], paths[0]);
    if (first == Access::refused) {
      state.transfers.destroy(&transfer);
      return first;
    }
  } catch (...) {
    state.transfers.destroy(&transfer);
    throw;
  }
  for (std::size_t i = 1; i < count; ++i) transfer.start_further(transfer.parts_[i], paths[i]);
  transfer.begun_ = true;
  if (transfer.under_way_ > 0) return Access::begun;
  const Failure failure = transfer.failure_;
  state.transfers.destroy(&transfer);
  if (failure != nullptr) throw Error(*failure);
  return Access::done;
}

/// Begins a part over a rail. Throws what the rail throws.
Access StripedTransfer::start(Part& part, const RailPath& path) {
  part.rail = path.rail;
  const Access result = access(*path.endpoint, direction_, part.local, {part.address, path.key}, part);
  if (result == Access::begun) {
    ++under_way_;
    ++state_.under_way[path.rail];
    if (path.rail > 0) ++state_.under_way_on_further;
  }
  return result;
}

void StripedTransfer::start_further(Part& part, const RailPath& path) noexcept {
  try {
    const Access result = start(part, path);
    if (result == Access::done) striped_bytes.add(part.local.size());
    if (result == Access::refused) repeat(part);
  } catch (const std::exception& error) {
    peer_.fail_rail(path.rail, error.what());
    repeat(part);
  }
}

/// Begins the part once more, over the first rail.
void StripedTransfer::repeat(Part& part) noexcept {
  try {
    const RailPath first{0, &peer_.first(), std::span(first_key_).first(key_bytes_)};
    if (start(part, first) == Access::refused)
      throw Error(ErrorClass::intern, "an adapter has refused to access a part of memory that it accesses");
  } catch (...) {
    if (failure_ == nullptr) failure_ = Failure::current();
  }
}

void StripedTransfer::Part::ended(const Error* failure) noexcept {
  whole->part_ended(*this, failure);
}

void StripedTransfer::part_ended(Part& part, const Error* failure) noexcept {
  --under_way_;
  --state_.under_way[part.rail];
  if (part.rail == 0) {
    if (failure != nullptr && failure_ == nullptr) failure_ = *failure;
    return settle();
  }
  --state_.under_way_on_further;
  if (failure == nullptr) {
    striped_bytes.add(part.local.size());
  } else {
    peer_.fail_rail(part.rail, failure->what());
    repeat(part);
  }
  settle();
}

/// Ends the transfer after its last part.
void StripedTransfer::settle() noexcept {
  if (under_way_ > 0 || !begun_) return;
  Operation& operation = operation_;
  const Failure failure = failure_;
  state_.transfers.destroy(this);
  operation.ended(failure.get());
}

}  // namespace bowline::transport
