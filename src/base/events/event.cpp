// SPDX-License-Identifier: BSD-3-Clause
#include "base/events/event.hpp"

#include <algorithm>
#include <utility>

namespace bowline {
namespace {

// A function-local registry, because events of other files may be constructed before this file's globals.
std::vector<EventKind*>& events() {
  static std::vector<EventKind*> list;
  return list;
}

// Not destroyed by exit(): threads may still call MPI. Recursive, because a listener may cause an event.
std::recursive_mutex& delivery() {
  static auto* const mutex = new std::recursive_mutex;
  return *mutex;
}

constinit Atomic<void (*)() noexcept> notified{nullptr};

void notify() noexcept {
  if (const auto changed = notified.load(std::memory_order_acquire)) changed();
}

}  // namespace

EventKind::EventKind(const EventGroup* group, Category category, std::string_view name, std::string_view help,
                     std::size_t record_bytes, std::vector<EventField> fields)
    : category_(category),
      name_(name),
      help_(help),
      record_bytes_(record_bytes),
      fields_(std::move(fields)),
      group_(group) {
  auto& list = events();
  list.insert(std::ranges::upper_bound(list, name, {}, &EventKind::name), this);
}

std::span<EventKind* const> EventKind::all() {
  return events();
}

EventKind::Pause::Pause() : hold_(delivery()) {}

void EventKind::notify_by(void (*changed)() noexcept) noexcept {
  notified.store(changed, std::memory_order_release);
}

void EventKind::add(EventListener& listener) {
  {
    const Pause pause;
    listeners_.push_back(&listener);
    note_listeners();
  }
  notify();
}

void EventKind::remove(EventListener& listener) noexcept {
  {
    const Pause pause;
    std::erase(listeners_, &listener);
    note_listeners();
  }
  notify();
}

void EventKind::note_listeners() noexcept {
  const bool before = heard_.exchange(!listeners_.empty(), std::memory_order_relaxed);
  const int change = static_cast<int>(heard()) - static_cast<int>(before);
  if (group_ != nullptr) group_->heard_.fetch_add(change, std::memory_order_relaxed);
}

/// The time is taken under the mutex, so that it rises from one call of a listener to the next.
void EventKind::deliver(std::span<const std::byte> record) const noexcept {
  const Pause pause;
  const Occurrence occurrence{*this, record, event_time()};
  // By index: a listener may remove itself.
  for (std::size_t i = 0; i < listeners_.size(); ++i) listeners_[i]->hear(occurrence);
}

}  // namespace bowline
