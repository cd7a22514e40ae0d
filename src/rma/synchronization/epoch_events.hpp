// SPDX-License-Identifier: BSD-3-Clause
// What windows tell listeners (base/events/event.hpp): when their epochs begin and end in this process.
#pragma once

#include <cstdint>

#include "base/events/event.hpp"

namespace bowline::rma {

class Window;

struct EpochEvent {
  std::uint64_t context;
  std::int32_t target;
  std::int32_t epoch;
};

enum class EpochKind : std::int32_t { fence, access, exposure, lock, lock_all };

extern Event<EpochEvent> epoch_begun;
extern Event<EpochEvent> epoch_ended;

/// Tells one of these events if somebody listens. `target`: of a lock.
void tell_epoch(const Event<EpochEvent>& event, const Window& window, EpochKind epoch, int target = -1) noexcept;

}  // namespace bowline::rma
