// SPDX-License-Identifier: BSD-3-Clause
#include "transport/registration_cache.hpp"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/counter.hpp"
#include "base/error.hpp"
#include "base/events/event.hpp"

namespace bowline::transport {
namespace {

Counter hits(Category::networks, "registration_hits", "times that memory for a transfer was found registered");
Counter registrations(Category::networks, "registrations", "regions of memory registered with a network adapter");
Counter evictions(Category::networks, "registration_evictions",
                  "registered regions released because there were too many");
Counter invalidations(Category::networks, "registration_invalidations",
                      "registered regions released because the program unmapped them");

struct RegistrationEvent {
  std::uint64_t address;
  std::uint64_t bytes;
};
std::vector<Event<RegistrationEvent>::Field> region_fields() {
  return {{"address", &RegistrationEvent::address, "where the region begins"},
          {"bytes", &RegistrationEvent::bytes, "its length"}};
}
Event<RegistrationEvent> registration_made(Category::networks, "registration_made",
                                           "memory was registered with network adapters", region_fields());
Event<RegistrationEvent> registration_dropped(Category::networks, "registration_dropped",
                                              "memory is no longer used as registered", region_fields());

void tell(const Event<RegistrationEvent>& event, std::span<const std::byte> memory) noexcept {
  if (event.heard()) event.tell({reinterpret_cast<std::uint64_t>(memory.data()), memory.size()});
}

constexpr std::uintptr_t page_bytes = 4096;

std::uintptr_t address_of(const std::byte* place) noexcept {
  return reinterpret_cast<std::uintptr_t>(place);
}

}  // namespace

Level RegistrationCache::registered_bytes(Category::networks, "registered_bytes", "registered_bytes_peak",
                                          "bytes of memory that are registered with network adapters");

RegistrationCache::~RegistrationCache() {
  for (const auto& [address, region] : index_) {
    registrar_.remove(region->handle_);
  }
  while (!retired_.empty()) destroy(std::unique_ptr<Region>(&retired_.pop_front()));
}

RegistrationCache::Region& RegistrationCache::acquire(std::span<const std::byte> memory) {
  const std::lock_guard hold(mutex_);
  forget_unmapped();
  const std::uintptr_t from = address_of(memory.data()) / page_bytes * page_bytes;
  const std::uintptr_t to = (address_of(memory.data()) + memory.size() + page_bytes - 1) / page_bytes * page_bytes;
  Region* region = find({from, to});
  if (region != nullptr) {
    hits.add();
  } else {
    std::unique_ptr<Region> made = make({from, to});
    region = made.get();
    const std::uintptr_t start = address_of(region->memory_.data());
    lowest_.store(std::min(lowest_.load(std::memory_order_relaxed), start), std::memory_order_relaxed);
    highest_.store(std::max(highest_.load(std::memory_order_relaxed), start + region->memory_.size()),
                   std::memory_order_relaxed);
    bytes_ += region->memory_.size();
    registered_bytes_.grow(region->memory_.size());
    index_.emplace(start, std::move(made));
  }
  if (region->linked()) List<Region>::remove(*region);
  ++region->users_;
  shrink();
  return *region;
}

void RegistrationCache::release(Region& region) noexcept {
  const std::lock_guard hold(mutex_);
  forget_unmapped();
  if (--region.users_ > 0) return;
  if (region.retired_) {
    List<Region>::remove(region);
    destroy(std::unique_ptr<Region>(&region));
  } else {
    idle_.push_back(region);
    shrink();
  }
}

void RegistrationCache::drop_idle() noexcept {
  const std::lock_guard hold(mutex_);
  forget_unmapped();
  evict_idle();
}

/// The first region that ends after the interval begins.
RegistrationCache::Index::iterator RegistrationCache::first_overlap(Interval interval) {
  auto place = index_.upper_bound(interval.from);
  if (place == index_.begin()) return place;
  const auto before = std::prev(place);
  return before->first + before->second->memory_.size() > interval.from ? before : place;
}

RegistrationCache::Region* RegistrationCache::find(Interval pages) {
  const auto place = first_overlap(pages);
  if (place == index_.end() || place->first > pages.from) return nullptr;
  Region& region = *place->second;
  return pages.to <= place->first + region.memory_.size() ? &region : nullptr;
}

/// Makes a region that replaces all regions that overlap `pages`. The new region covers the memory of the replaced
/// regions as well, if that memory can still be registered.
std::unique_ptr<RegistrationCache::Region> RegistrationCache::make(Interval pages) {
  Interval all = pages;
  for (auto place = first_overlap(pages); place != index_.end() && place->first < pages.to;) {
    all.from = std::min(all.from, place->first);
    all.to = std::max(all.to, place->first + place->second->memory_.size());
    place = retire(place);
  }
  auto region = std::make_unique<Region>();
  const auto add = [&](Interval interval) {
    region->memory_ = {reinterpret_cast<const std::byte*>(interval.from), interval.to - interval.from};
    region->handle_ = registrar_.add(region->memory_);
  };
  try {
    add(all);
  } catch (const Error&) {
    // Perhaps no more memory can be locked.
    evict_idle();
    add(pages);
  }
  registrations.add();
  tell(registration_made, region->memory_);
  return region;
}

/// Removes a region from the index, and destroys it unless it is in use. Returns the place of the next one.
RegistrationCache::Index::iterator RegistrationCache::retire(Index::iterator place) {
  std::unique_ptr<Region> region = std::move(place->second);
  bytes_ -= region->memory_.size();
  registered_bytes_.shrink(region->memory_.size());
  tell(registration_dropped, region->memory_);
  if (region->users_ > 0) {
    region->retired_ = true;
    retired_.push_back(*region.release());
  } else {
    List<Region>::remove(*region);
    destroy(std::move(region));
  }
  return index_.erase(place);
}

/// Retires the regions of which unmapped() has recorded that they were unmapped.
void RegistrationCache::forget_unmapped() {
  std::array<Interval, std::tuple_size_v<decltype(notes_)>> notes;
  std::size_t count = 0;
  bool lost = false;
  {
    const std::lock_guard hold(notes_lock_);
    std::copy_n(notes_.begin(), note_count_, notes.begin());
    count = std::exchange(note_count_, 0);
    lost = std::exchange(notes_lost_, false);
  }
  if (lost) return forget({0, UINTPTR_MAX});
  for (const Interval& note : std::span(notes).first(count)) forget(note);
}

void RegistrationCache::forget(Interval interval) {
  for (auto place = first_overlap(interval); place != index_.end() && place->first < interval.to;) {
    invalidations.add();
    place = retire(place);
  }
}

void RegistrationCache::shrink() {
  while ((bytes_ > max_bytes_ || index_.size() > max_regions_) && !idle_.empty()) evict_oldest();
}

void RegistrationCache::evict_idle() {
  while (!idle_.empty()) evict_oldest();
}

void RegistrationCache::evict_oldest() {
  evictions.add();
  retire(index_.find(address_of(idle_.front().memory_.data())));
}

void RegistrationCache::destroy(std::unique_ptr<Region> region) noexcept {
  registrar_.remove(region->handle_);
}

void RegistrationCache::unmapped(std::uintptr_t address, std::size_t bytes) noexcept {
  const Interval gone{address, address + bytes};
  if (gone.to <= lowest_.load(std::memory_order_relaxed) || gone.from >= highest_.load(std::memory_order_relaxed))
    return;
  const std::lock_guard hold(notes_lock_);
  if (note_count_ < notes_.size()) {
    notes_[note_count_++] = gone;
  } else {
    notes_lost_ = true;
  }
}

}  // namespace bowline::transport
