// SPDX-License-Identifier: BSD-3-Clause
#include "rma/shared_memory.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "base/log.hpp"

namespace bowline::rma {
namespace {

constexpr std::size_t mapping_alignment = 4096;  // of every mapping

/// The segments of windows that this process has open.
constinit std::atomic<std::size_t> open_segments{0};

}  // namespace

/// The lasting memory that no window uses, the longest unused first.
struct SharedMemory::Spares {
  std::mutex mutex;
  std::vector<SharedMemory> memories;

  static Spares& here() {
    static Spares& spares = *new Spares;  // never destroyed: windows may be freed while the process ends
    return spares;
  }

  template <class Fits>
  std::optional<SharedMemory> take(Fits fits) {
    const std::lock_guard hold(mutex);
    const auto found = std::ranges::find_if(memories, fits);
    if (found == memories.end()) return {};
    std::optional<SharedMemory> memory(std::move(*found));
    memories.erase(found);
    return memory;
  }
};

void SharedMemory::Close::operator()(node::Segment* segment) const noexcept {
  delete segment;
  --open_segments;
}

SharedMemory SharedMemory::make(std::size_t bytes, std::size_t reserved, std::size_t alignment, bool others_zero) {
  const bool fits = bytes <= lasting_bytes && alignment <= mapping_alignment && !others_zero;
  if (fits) {
    auto spare = Spares::here().take([](const SharedMemory& each) { return each.segment_ != nullptr; });
    if (spare) {
      spare->segment_->reserve(0, reserved);
      std::fill(spare->mapping_.data() + sizeof secret_, spare->mapping_.data() + reserved, std::byte{0});
      return std::move(*spare);
    }
  }
  SharedMemory memory;
  memory.segment_.reset(new node::Segment(node::Segment::create("bowline-window", fits ? lasting_bytes : bytes)));
  memory.lasting_ = ++open_segments <= most_lasting && fits;
  memory.segment_->reserve(0, reserved);
  memory.mapping_ = memory.segment_->map(0, memory.segment_->bytes(), alignment);
  memory.secret_ = memory.segment_->offer().secret;
  return memory;
}

SharedMemory SharedMemory::open(const MemoryOffer& offer, std::size_t bytes, std::size_t alignment) {
  if (offer.lasting != 0) {
    bytes = lasting_bytes;
    auto spare = Spares::here().take([&](const SharedMemory& each) { return each.secret_ == offer.ticket.secret; });
    if (spare) return std::move(*spare);
  }
  SharedMemory memory;
  memory.mapping_ = node::Segment::open(offer.ticket, bytes).segment.map(0, bytes, alignment);
  memory.secret_ = offer.ticket.secret;
  memory.lasting_ = offer.lasting != 0;
  return memory;
}

void SharedMemory::all_have_it() noexcept {
  if (!lasting_) segment_.reset();
}

void SharedMemory::spare(SharedMemory memory) noexcept {
  if (!memory.lasting_) return;
  Spares& spares = Spares::here();
  try {
    const std::lock_guard hold(spares.mutex);
    // most_lasting bounds what this process makes; here is the bound for what it has opened besides.
    if (spares.memories.size() >= 2 * most_lasting) spares.memories.erase(spares.memories.begin());
    spares.memories.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    log::info("no memory is left to keep the memory of a window; it is freed");
  }
}

}  // namespace bowline::rma
