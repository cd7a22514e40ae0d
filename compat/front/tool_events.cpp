// SPDX-License-Identifier: BSD-3-Clause
// Callbacks of events of the tool interface: they are told a level of safety, whose numbers differ between ABIs.
#include <map>
#include <mutex>

#include "bowline_functions.hpp"
#include "front/functions.hpp"
#include "front/values.hpp"

namespace front {
namespace {

struct Registered;

/// What the user has registered for one level.
struct Callback {
  MPI_T_event_cb_function* function = nullptr;
  void* user_data = nullptr;
  Registered* of = nullptr;
};

/// Of one handle. It stays until no callback can come any more.
struct Registered {
  std::map<int, Callback> callbacks;  ///< by level, in Bowline's numbers
  MPI_T_event_dropped_cb_function* dropped = nullptr;
  MPI_T_event_free_cb_function* freed = nullptr;
  void* freed_data = nullptr;
};

std::mutex mutex;
std::map<MPI_T_event_registration, Registered>& registered() {
  static auto* const all = new std::map<MPI_T_event_registration, Registered>;  // threads may outlive exit()
  return *all;
}

MPI_T_cb_safety out(MPI_T_cb_safety level) noexcept {
  return static_cast<MPI_T_cb_safety>(abi::out_tool_safety(level));
}

Callback copy_of(const void* callback) {
  const std::lock_guard hold(mutex);
  return *static_cast<const Callback*>(callback);
}

void call(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety level, void* data) {
  const Callback callback = copy_of(data);
  if (callback.function != nullptr) callback.function(instance, registration, out(level), callback.user_data);
}

void call_dropped(MPI_Count count, MPI_T_event_registration registration, int source, MPI_T_cb_safety level,
                  void* data) {
  const Callback callback = copy_of(data);
  MPI_T_event_dropped_cb_function* dropped = nullptr;
  {
    const std::lock_guard hold(mutex);
    dropped = callback.of->dropped;
  }
  if (dropped != nullptr) dropped(count, registration, source, out(level), callback.user_data);
}

/// No callback of the handle can come any more, and no other registration has had the same handle meanwhile.
void call_freed(MPI_T_event_registration registration, MPI_T_cb_safety level, void*) {
  Registered ended;
  {
    const std::lock_guard hold(mutex);
    ended = registered()[registration];
    registered().erase(registration);
  }
  if (ended.freed != nullptr) ended.freed(registration, out(level), ended.freed_data);
}

}  // namespace

int t_event_register_callback(MPI_T_event_registration registration, MPI_T_cb_safety level, abi::Info info, void* data,
                              MPI_T_event_cb_function* function) {
  const auto inner = static_cast<MPI_T_cb_safety>(abi::in_tool_safety(level));
  Callback* callback = nullptr;
  {
    const std::lock_guard hold(mutex);
    Registered& of = registered()[registration];
    callback = &of.callbacks[inner];
    *callback = {function, data, &of};
  }
  return out_code(bowline_PMPI_T_event_register_callback(registration, inner, abi::in_info(info), callback,
                                                         function == nullptr ? nullptr : &call));
}

int t_event_set_dropped_handler(MPI_T_event_registration registration, MPI_T_event_dropped_cb_function* dropped) {
  {
    const std::lock_guard hold(mutex);
    registered()[registration].dropped = dropped;
  }
  return out_code(bowline_PMPI_T_event_set_dropped_handler(registration, dropped == nullptr ? nullptr : &call_dropped));
}

int t_event_handle_free(MPI_T_event_registration registration, void* data, MPI_T_event_free_cb_function* freed) {
  {
    const std::lock_guard hold(mutex);
    Registered& of = registered()[registration];
    of.freed = freed;
    of.freed_data = data;
  }
  return out_code(bowline_PMPI_T_event_handle_free(registration, nullptr, &call_freed));
}

}  // namespace front
