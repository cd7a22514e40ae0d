// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/async/run_work.hpp"

#include <algorithm>
#include <cerrno>

#include "mpiio/async/io_ring.hpp"
#include "mpiio/async/workers.hpp"

namespace bowline::mpiio {

void RunWork::set(bool writes, Offset offset, std::span<std::byte> memory, RangeBoard* board) noexcept {
  writes_ = writes;
  offset_ = offset;
  memory_ = memory;
  board_ = board;
  outcome_ = {};
  last_ = -1;
  renew();
}

void RunWork::start() {
  if (storage_.descriptor() >= 0 && Ring::available()) {
    if (writes_ && board_ != nullptr) {
      const Extent part{offset_, offset_ + static_cast<Offset>(memory_.size())};
      hold_.emplace(*board_, part, RangeBoard::Access::plain);
    }
    if (Ring::start(*this)) return;
    hold_.reset();
  }
  Workers::here().start(*this);
}

void RunWork::execute() noexcept {
  std::optional<RangeBoard::Hold> hold;
  if (writes_ && board_ != nullptr)
    hold.emplace(*board_, Extent{offset_, offset_ + static_cast<Offset>(memory_.size())}, RangeBoard::Access::plain);
  outcome_ = writes_ ? write_all(storage_, offset_, memory_) : read_all(storage_, offset_, memory_);
}

RunWork::Next RunWork::next() const noexcept {
  const std::size_t left = memory_.size() - outcome_.bytes;
  return {writes_, storage_.descriptor(), offset_ + static_cast<Offset>(outcome_.bytes),
          memory_.subspan(outcome_.bytes, std::min(left, most_at_once))};
}

bool RunWork::moved(ssize_t result) noexcept {
  last_ = result;
  if (result == -EINTR || result == -EAGAIN) return true;
  if (result < 0) {
    outcome_.error = static_cast<int>(-result);
    return false;
  }
  outcome_.bytes += static_cast<std::size_t>(result);
  if (result == 0 && writes_) outcome_.error = EIO;
  return result > 0 && outcome_.bytes < memory_.size();
}

void RunWork::complete() noexcept {
  const bool ended = !writes_ && last_ == 0;
  if (outcome_.error == 0 && outcome_.bytes < memory_.size() && !ended) {
    const std::span<std::byte> rest = memory_.subspan(outcome_.bytes);
    const Offset offset = offset_ + static_cast<Offset>(outcome_.bytes);
    const Outcome moved = writes_ ? write_all(storage_, offset, rest) : read_all(storage_, offset, rest);
    outcome_.bytes += moved.bytes;
    outcome_.error = moved.error;
  }
  hold_.reset();
}

}  // namespace bowline::mpiio
