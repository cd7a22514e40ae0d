// SPDX-License-Identifier: BSD-3-Clause
// Windows: general active-target synchronization (MPI-5.0, section 12.5.2). Both sides notify each other by messages,
// also where memory is mapped: what was stored before a message was sent is visible to its receiver.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "rma/synchronization/complete_stores.hpp"
#include "rma/synchronization/epoch_events.hpp"
#include "rma/window.hpp"

namespace bowline::rma {
namespace {

std::string list_of(const std::vector<int>& ranks) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  if (ranks.size() > most) text += fmt::format(" and {} others", ranks.size() - most);
  return text;
}

struct Expected {
  const Window& window;
  const std::vector<int>& ranks;
  const char* call;
};

proto::WaitDescription call_awaited(proto::Engine&, const void* what) {
  const auto& wait = *static_cast<const Expected*>(what);
  return {fmt::format("for {} of the ranks {} of {}", wait.call, list_of(wait.ranks), wait.window.in_words()),
          WaitTargets::some_rank()};
}

}  // namespace

/// The ranks of the group's processes in this window. Throws Error (group) if a process is no member.
std::vector<int> Window::ranks_of(const comm::Group& group) const {
  std::vector<int> ranks;
  ranks.reserve(static_cast<std::size_t>(group.size()));
  for (int i = 0; i < group.size(); ++i) {
    const int rank = comm_.group().rank_of(group.process(i));
    if (rank == comm::Group::no_rank) {
      throw Error(ErrorClass::group,
                  fmt::format("group has the process {} of MPI_COMM_WORLD, which does not belong to {}",
                              group.process(i), in_words()));
    }
    ranks.push_back(rank);
  }
  return ranks;
}

void Window::post(const comm::Group& origins) {
  epochs_.check_post();
  exposed_to_ = ranks_of(origins);
  exposure_failure_.reset();
  complete_stores();
  for (const int rank : std::vector<int>(exposed_to_)) {
    if (rank == this->rank()) {
      ++target(rank).posts;
    } else {
      messages_.tell_post(rank);
    }
  }
  if (engine_.lock().enabled()) engine_.loop().wake_sleepers();  // a thread may wait for the post of its own process
  epochs_.posted();
  tell_epoch(epoch_begun, *this, EpochKind::exposure);
}

void Window::start(const comm::Group& targets, bool nocheck) {
  epochs_.check_start();
  started_.clear();
  awaited_posts_.clear();
  for (const int rank : ranks_of(targets)) {
    Target& at = target(rank);
    ++at.starts;
    started_.push_back(&at);
    awaited_posts_.push_back(rank);
  }
  const auto posted = [&] {
    std::erase_if(awaited_posts_, [this](int rank) {
      const Target& at = target(rank);
      return static_cast<std::int64_t>(at.posts - at.starts) >= 0 || at.lost != nullptr;
    });
    return awaited_posts_.empty();
  };
  if (!nocheck && !posted()) {
    const Expected wait{*this, awaited_posts_, "MPI_Win_post"};
    engine_.wait_until(posted, {&call_awaited, &wait}, Awaited::several);
  }
  awaited_posts_.clear();
  for (Target* const each : started_) {
    if (each->lost == nullptr) continue;
    const Failure why = each->lost;
    for (Target* const all : started_) --all->starts;
    started_.clear();
    throw Error(*why);
  }
  for (Target* const each : started_) each->open = true;
  epochs_.started();
  tell_epoch(epoch_begun, *this, EpochKind::access);
}

void Window::complete() {
  epochs_.check_complete();
  Failure failure;
  try {
    if (!pending_.empty()) flush_pending();
  } catch (const Error& error) {
    failure = Failure(error);
  }
  complete_stores();
  for (Target* const each : started_) {
    each->open = false;
    if (each->rank == rank()) {
      exposure_ended(each->rank);
    } else {
      messages_.tell_complete(*each);
    }
  }
  started_.clear();
  if (engine_.lock().enabled())
    engine_.loop().wake_sleepers();  // a thread may wait for the end of its own process's accesses
  epochs_.completed();
  tell_epoch(epoch_ended, *this, EpochKind::access);
  if (failure != nullptr) throw Error(*failure);
}

bool Window::exposure_ended(int rank) noexcept {
  const auto place = std::ranges::find(exposed_to_, rank);
  if (place == exposed_to_.end()) return false;
  *place = exposed_to_.back();
  exposed_to_.pop_back();
  return true;
}

void Window::wait() {
  epochs_.check_wait();
  const auto over = [this] { return exposed_to_.empty() || exposure_failure_ != nullptr; };
  if (!over()) {
    const Expected wait{*this, exposed_to_, "MPI_Win_complete"};
    engine_.wait_until(over, {&call_awaited, &wait}, Awaited::several);
  }
  end_exposure();
}

bool Window::test() {
  epochs_.check_wait();
  if (!exposed_to_.empty()) engine_.loop().poll();
  if (!exposed_to_.empty() && exposure_failure_ == nullptr) return false;
  end_exposure();
  return true;
}

void Window::end_exposure() {
  complete_stores();
  epochs_.waited();
  tell_epoch(epoch_ended, *this, EpochKind::exposure);
  exposed_to_.clear();
  if (exposure_failure_ != nullptr) throw Error(*std::exchange(exposure_failure_, {}));
}

void Window::for_each_waiting(const std::function<void(int)>& action) const {
  if (epochs_.exposed()) {
    for (const int rank : std::vector<int>(exposed_to_)) action(rank);
  }
  for (const int rank : std::vector<int>(awaited_posts_)) action(rank);
}

}  // namespace bowline::rma
