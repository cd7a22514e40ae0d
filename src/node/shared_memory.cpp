// SPDX-License-Identifier: BSD-3-Clause
#include "node/shared_memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.hpp"

namespace bowline::node {
namespace {

constexpr std::size_t mapping_alignment = 4096;  // of every mapping

}  // namespace

void CountedClose::operator()(Segment* segment) const noexcept {
  delete segment;
  open_segments->fetch_sub(1, std::memory_order_relaxed);
}

template <class Fits>
std::optional<SharedMemory> SharedMemoryPool::take(Fits fits) {
  const std::lock_guard hold(mutex_);
  const auto found = std::ranges::find_if(kept_, fits);
  if (found == kept_.end()) return {};
  std::optional<SharedMemory> memory(std::move(*found));
  kept_.erase(found);
  return memory;
}

SharedMemory SharedMemoryPool::make(const Requirements& requirements) {
  const std::size_t rounded = (requirements.bytes + bounds_.unit - 1) / bounds_.unit * bounds_.unit;
  const bool fits =
      rounded <= bounds_.longest && requirements.alignment <= mapping_alignment && !requirements.others_zero;
  if (fits) {
    auto kept = take([&](const SharedMemory& each) {
      const std::span memory(each.mapping().data(), each.mapping().size());
      return each.segment_ != nullptr && memory.size() == rounded && (is_free_ == nullptr || is_free_(memory));
    });
    if (kept) {
      // The memory beyond the reserved bytes is not checked: the process that reserves its pages later checks whether
      // there is room.
      kept->segment_->reserve(0, requirements.reserved);
      std::byte* const begin = kept->mapping_.data();
      std::fill(begin + sizeof kept->secret_, begin + requirements.reserved, std::byte{0});
      return std::move(*kept);
    }
  }
  SharedMemory memory;
  const std::size_t bytes = fits ? rounded : requirements.bytes;
  memory.segment_ = {new Segment(Segment::create(label_, bytes)), CountedClose{&open_segments_}};
  memory.lasting_ = open_segments_.fetch_add(1, std::memory_order_relaxed) < bounds_.most && fits;
  memory.segment_->reserve(0, requirements.reserved, requirements.besides);
  memory.mapping_ = memory.segment_->map(0, bytes, requirements.alignment);
  memory.counted_ = {level_, bytes};
  memory.secret_ = memory.segment_->offer().secret;
  return memory;
}

SharedMemory SharedMemoryPool::open(const MemoryOffer& offer, const Requirements& requirements) {
  if (offer.lasting != 0) {
    auto kept = take([&](const SharedMemory& each) { return each.secret_ == offer.ticket.secret; });
    if (kept) return std::move(*kept);
  }
  const std::size_t bytes = offer.lasting != 0 ? offer.bytes : requirements.bytes;
  SharedMemory memory;
  memory.mapping_ = Segment::open(offer.ticket, bytes).segment.map(0, bytes, requirements.alignment);
  memory.counted_ = {level_, bytes};
  memory.secret_ = offer.ticket.secret;
  memory.lasting_ = offer.lasting != 0;
  return memory;
}

void SharedMemoryPool::keep(SharedMemory memory) noexcept {
  if (!memory.lasting_) return;
  try {
    const std::lock_guard hold(mutex_);
    // `most` bounds the memory that this process makes; this line bounds the memory that it has opened besides.
    if (kept_.size() >= 2 * bounds_.most) kept_.erase(kept_.begin());
    kept_.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    log::info("no memory is left to keep shared memory ({}); it is freed", label_);
  }
}

}  // namespace bowline::node
