// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 15.3.4: initialization and finalization, and what all functions share.
#include "api/tools/tool_interface.hpp"

#include <algorithm>
#include <cstring>

#include "base/events/event.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

constinit std::mutex tool_mutex;
int uses = 0;  ///< under the mutex

}  // namespace

ToolLock::ToolLock() : hold_(tool_mutex) {
  if (uses == 0) throw ToolError(MPI_T_ERR_NOT_INITIALIZED);
}

void give_string(std::string_view text, char* buffer, int* length) noexcept {
  if (length == nullptr) return;
  if (buffer != nullptr && *length > 0) {
    const std::size_t copied = std::min(text.size(), static_cast<std::size_t>(*length) - 1);
    std::memcpy(buffer, text.data(), copied);
    buffer[copied] = '\0';
  }
  *length = static_cast<int>(text.size()) + 1;
}

std::size_t checked_index(int index, std::size_t count, int code) {
  if (index < 0 || static_cast<std::size_t>(index) >= count) throw ToolError(code);
  return static_cast<std::size_t>(index);
}

void t_init_thread(int required, int* provided) {
  if (required < MPI_THREAD_SINGLE || required > MPI_THREAD_MULTIPLE) throw ToolError(MPI_T_ERR_INVALID);
  const std::lock_guard hold(tool_mutex);
  ++uses;
  give(provided, MPI_THREAD_MULTIPLE);
}

void t_finalize() {
  const EventKind::Pause pause;  // before the lock, as callbacks take them
  const ToolLock lock;
  if (--uses > 0) return;
  forget_control_handles();
  forget_performance_sessions();
  forget_event_registrations();
}

}  // namespace bowline::api
