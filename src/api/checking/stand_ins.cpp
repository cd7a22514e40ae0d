// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/stand_ins.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "api/checking/places.hpp"

namespace bowline::api::checking {

StandIn::StandIn(std::vector<std::span<std::byte>> blocks) : blocks_(std::move(blocks)) {
  const std::byte* end = nullptr;
  lowest_ = blocks_.front().data();
  for (const auto block : blocks_) {
    lowest_ = std::min<const std::byte*>(lowest_, block.data());
    end = std::max<const std::byte*>(end, block.data() + block.size());
  }
  length_ = static_cast<std::size_t>(end - lowest_);
  memory_ = std::make_unique<std::byte[]>(length_);
  before_ = std::make_unique<std::byte[]>(length_);
  for (const auto block : blocks_) {
    std::memcpy(memory_.get() + place(block), block.data(), block.size());
    std::memcpy(before_.get() + place(block), block.data(), block.size());
  }
}

void* StandIn::address(const void* buffer) const noexcept {
  return memory_.get() + (static_cast<const std::byte*>(buffer) - lowest_);
}

bool StandIn::finish() noexcept {
  const bool changed = std::ranges::any_of(blocks_, [this](const auto block) {
    return std::memcmp(block.data(), before_.get() + place(block), block.size()) != 0;
  });
  for (const auto block : blocks_) {
    const std::byte* const now = memory_.get() + place(block);
    std::byte* const then = before_.get() + place(block);
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (now[i] != then[i]) block[i] = then[i] = now[i];
    }
  }
  return changed;
}

bool StandIn::overlaps(std::span<const std::byte> bytes) const noexcept {
  return std::ranges::any_of(blocks_, [&](const auto block) {
    return block.data() < bytes.data() + bytes.size() && bytes.data() < block.data() + block.size();
  });
}

// Not destroyed by exit(): threads may still call MPI.
StandIns& StandIns::of_this_process() {
  static auto* const all = new StandIns;
  return *all;
}

void StandIns::add(const Completion& until, StandIn stand_in, const MpiCall& by) {
  const std::lock_guard hold(mutex_);
  entries_.push_back({until, std::move(stand_in), by});
}

bool StandIns::has(std::span<const std::byte> bytes) {
  const std::lock_guard hold(mutex_);
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.stand_in.overlaps(bytes); });
}

void StandIns::say_nothing_of(std::span<const std::byte> bytes) {
  const std::lock_guard hold(mutex_);
  for (Entry& entry : entries_) {
    if (entry.stand_in.overlaps(bytes)) entry.is_told = false;
  }
}

std::vector<MpiCall> StandIns::completed(const Completion& what) {
  std::vector<MpiCall> changed;
  const std::lock_guard hold(mutex_);
  std::erase_if(entries_, [&](Entry& entry) {
    if (!what.covers(entry.until)) return false;
    if (entry.stand_in.finish() && entry.is_told) changed.push_back(entry.by);
    return true;
  });
  return changed;
}

bool StandIns::is_known(const void* request) {
  const std::lock_guard hold(mutex_);
  return std::ranges::any_of(entries_, [&](const Entry& entry) { return entry.until.handle == request; });
}

void StandIns::leave(const void* request) {
  const std::lock_guard hold(mutex_);
  std::erase_if(entries_, [&](Entry& entry) {
    if (entry.until.handle != request) return false;
    left_.push_back(std::move(entry.stand_in));
    return true;
  });
}

void StandIns::deliver_late() {
  const std::lock_guard hold(mutex_);
  for (StandIn& each : left_) each.finish();
}

std::string changed_in_words(const MpiCall& begun, const MpiCall& by) {
  const std::vector<std::string> places = in_words(std::array{begun, by});
  return fmt::format("the program has changed memory into which {} receives before {} has completed the operation",
                     places[0], places[1]);
}

}  // namespace bowline::api::checking
