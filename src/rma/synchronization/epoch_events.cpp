// SPDX-License-Identifier: BSD-3-Clause
#include "rma/synchronization/epoch_events.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "rma/window.hpp"

namespace bowline::rma {
namespace {

constexpr std::array<std::string_view, 5> epoch_words{"fence", "access", "exposure", "lock", "lock_all"};

std::vector<Event<EpochEvent>::Field> epoch_fields() {
  return {{"epoch", &EpochEvent::epoch, "its kind; access: MPI_Win_start, exposure: MPI_Win_post", epoch_words},
          {"target", &EpochEvent::target, "the rank of a lock's target; -1 otherwise"},
          {"context", &EpochEvent::context, "the window's number in messages"}};
}

}  // namespace

Event<EpochEvent> epoch_begun(Category::one_sided, "epoch_begun", "an epoch of a window has begun here",
                              epoch_fields());
Event<EpochEvent> epoch_ended(Category::one_sided, "epoch_ended", "an epoch of a window has ended here",
                              epoch_fields());

void tell_epoch(const Event<EpochEvent>& event, const Window& window, EpochKind epoch, int target) noexcept {
  if (!event.heard()) return;
  event.tell({.context = window.context(), .target = target, .epoch = static_cast<std::int32_t>(epoch)});
}

}  // namespace bowline::rma
