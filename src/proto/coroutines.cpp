// SPDX-License-Identifier: BSD-3-Clause
#include "proto/coroutines.hpp"

#include <new>
#include <utility>

namespace bowline::proto {
namespace {

// Initial capacity of `ready_`, in coroutines. It is above 0, so that `ready_` is not empty when a coroutine could not
// be added, and resume() runs.
constexpr std::size_t ready_at_first = 16;

}  // namespace

Coroutines::Coroutines(const RequestStore& requests) : requests_(requests) {
  ready_.reserve(ready_at_first);
  spare_.reserve(ready_at_first);
}

bool Coroutines::any_to_resume() noexcept {
  return !ready_.empty() || watches_.find([](const Watch& each) { return each.ended(); }) != nullptr;
}

void Coroutines::resume_waiter_of(Request& request) noexcept {
  try {
    ready_.push_back(request.waiter);
    request.waiter = nullptr;
  } catch (const std::bad_alloc&) {
    unlisted_ready_ = true;  // resume_unlisted() finds the request by its waiter
  }
}

bool Coroutines::resume() {
  if (!watches_.empty()) look_at_watches();
  if (ready_.empty()) return false;
  // A resumed coroutine may complete operations for which others wait; these resume in the next round.
  std::vector<std::coroutine_handle<>> now = std::exchange(ready_, std::exchange(spare_, {}));
  for (const auto handle : now) handle.resume();
  now.clear();
  if (now.capacity() > spare_.capacity()) spare_ = std::move(now);  // its memory, for the next round
  if (unlisted_ready_) [[unlikely]]
    resume_unlisted();
  return true;
}

bool Coroutines::resume_one_reached() {
  Watch* const watch = watches_.find([](const Watch& each) { return each.reached(); });
  if (watch == nullptr) return false;
  List<Watch>::remove(*watch);
  watch->notice.take_down();
  watch->waiter.resume();
  return true;
}

void Coroutines::look_at_watches() noexcept {
  while (Watch* const watch = watches_.find([](const Watch& each) { return each.ended(); })) {
    try {
      ready_.push_back(watch->waiter);
    } catch (const std::bad_alloc&) {
      return;  // the next round checks the watch again
    }
    List<Watch>::remove(*watch);
    watch->notice.take_down();  // the thread that makes this progress wakes a thread that still sleeps for the word
  }
}

/// Resumes the coroutines that were not added to `ready_` for lack of memory.
void Coroutines::resume_unlisted() noexcept {
  const auto waited_for = [](const Request& request) {
    return request.mark == Request::alive && request.done && request.waiter;
  };
  unlisted_ready_ = false;
  while (Request* const request = requests_.find(waited_for)) std::exchange(request->waiter, nullptr).resume();
}

void Coroutines::put_up_notices() noexcept {
  for_each_watch([](const Watch& each) { each.notice.put_up(); });
}

void Coroutines::take_down_notices() noexcept {
  for_each_watch([](const Watch& each) { each.notice.take_down(); });
}

}  // namespace bowline::proto
