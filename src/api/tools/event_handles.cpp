// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 15.3.8.3 to 15.3.8.5: registrations and their callbacks. Every function takes EventKind::Pause
// before ToolLock, because callbacks are called under the one and may take the other.
#include <memory>

#include "api/environment/info_handles.hpp"
#include "api/tools/event_registration.hpp"
#include "api/tools/events.hpp"
#include "api/tools/tool_interface.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

using Registration = MPI_ABI_T_event_registration;

ToolHandles<Registration, std::shared_ptr<Registration>>& registrations() {
  static ToolHandles<Registration, std::shared_ptr<Registration>> all;
  return all;
}

/// A registration, and what keeps it as it is.
class Held {
 public:
  explicit Held(MPI_T_event_registration handle) : registration_(registrations().find(handle)) {}
  Registration* operator->() const noexcept { return &registration_; }

 private:
  EventKind::Pause pause_;
  ToolLock lock_;
  Registration& registration_;
};

/// Throws ToolError.
MPI_T_cb_safety checked_level(MPI_T_cb_safety level) {
  if (Registration::index_of(level) == Registration::levels.size()) throw ToolError(MPI_T_ERR_INVALID);
  return level;
}

}  // namespace

void forget_event_registrations() noexcept {
  registrations().for_each([](Registration& each) { each.end(); });
  registrations().clear();
}

void t_event_handle_alloc(int event_index, void*, MPI_Info, MPI_T_event_registration* event_registration) {
  const EventKind::Pause pause;
  const ToolLock lock;
  EventKind& kind = event_at(event_index);
  MPI_T_event_registration& handle = required(event_registration);
  handle = registrations().add(std::make_shared<Registration>(kind));
  handle->begin();
}

void t_event_handle_free(MPI_T_event_registration event_registration, void* user_data,
                         MPI_T_event_free_cb_function* free_cb_function) {
  std::shared_ptr<Registration> freed;  // destroyed without a lock, when no callback needs it any more
  const EventKind::Pause pause;
  const ToolLock lock;
  freed = registrations().take(event_registration);
  freed->end();
  freed->freed_by(user_data, free_cb_function);
}

void t_event_register_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info,
                               void* user_data, MPI_T_event_cb_function* event_cb_function) {
  const Held held(event_registration);
  held->set(checked_level(cb_safety), {event_cb_function, user_data});
}

void t_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                 MPI_T_event_dropped_cb_function* dropped_cb_function) {
  const Held held(event_registration);
  held->set_dropped(dropped_cb_function);
}

// No hints are known.

void t_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info) {
  const Held held(event_registration);
}

void t_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info* info_used) {
  const Held held(event_registration);
  required(info_used) = info_handle({});
}

void t_event_callback_set_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety, MPI_Info) {
  const Held held(event_registration);
  static_cast<void>(checked_level(cb_safety));
}

void t_event_callback_get_info(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                               MPI_Info* info_used) {
  const Held held(event_registration);
  if (!held->has(checked_level(cb_safety))) throw ToolError(MPI_T_ERR_INVALID);
  required(info_used) = info_handle({});
}

}  // namespace bowline::api
