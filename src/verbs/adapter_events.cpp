// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/adapter_events.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>

#include <cstdint>
#include <new>

#include "base/error.hpp"
#include "base/events/event.hpp"
#include "base/log.hpp"
#include "verbs/verbs_handles.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

struct PortEvent {
  std::int32_t port;
};
Event<PortEvent> port_down(Category::networks, "port_down", "a port of an RDMA adapter has gone down",
                           {{"port", &PortEvent::port, "its number at the adapter"}});

}  // namespace

AdapterEvents::AdapterEvents(const Port& port, ibv_context* device)
    : port_(port), device_(device), end_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  const int flags = fcntl(descriptor(), F_GETFL);
  if (!end_ || flags < 0 || fcntl(descriptor(), F_SETFL, flags | O_NONBLOCK) != 0)
    throw verbs_error("reading its events", port_.device);
}

void AdapterEvents::read() noexcept {
  const std::lock_guard lock(mutex_);
  ibv_async_event event{};
  while (library().get_async_event(device_, &event) == 0) {
    handle(event);
    library().ack_async_event(&event);  // without the acknowledgement nobody could destroy the object of the event
  }
}

void AdapterEvents::end(const char* why) noexcept {
  const std::lock_guard lock(mutex_);
  end_locked(why);
}

void AdapterEvents::end_locked(const char* why) noexcept {
  if (has_ended()) return;
  try {
    why_ = why;
  } catch (const std::bad_alloc&) {
    // The adapter has ended all the same.
  }
  ended_ = true;
  eventfd_write(end_.number(), 1);
  log::error("the RDMA adapter {} cannot be used any more: it {}", port_.device, why);
}

/// A queue pair in its error state needs nothing here: its requests end with an error. Without the receive queue, or a
/// completion queue, the process hears nothing from the adapter any more.
void AdapterEvents::handle(const ibv_async_event& event) noexcept {
  const char* const words = library().event_type_str(event.event_type);
  switch (event.event_type) {
    case IBV_EVENT_DEVICE_FATAL:
      return end_locked("reports a fatal error of the device");
    case IBV_EVENT_CQ_ERR:
      return end_locked("reports that a completion queue has failed");
    case IBV_EVENT_SRQ_ERR:
      return end_locked("reports that a receive queue has failed");
    case IBV_EVENT_PORT_ERR:
    case IBV_EVENT_PORT_ACTIVE:
      return handle_port(event);
    default:
      log::info("the RDMA adapter {} reports: {}", port_.device, words);
  }
}

void AdapterEvents::handle_port(const ibv_async_event& event) noexcept {
  if (event.element.port_num != port_.number) return;
  if (event.event_type == IBV_EVENT_PORT_ERR && port_down.heard()) port_down.tell({port_.number});
  if (event.event_type == IBV_EVENT_PORT_ACTIVE) return log::info("{} is up again", to_text(port_));
  log::warning(
      "{} has gone down: the links over it are made again, and a rank that stays out of reach for {} seconds "
      "counts as lost (BOWLINE_VERBS_CONTACT_PATIENCE)",
      to_text(port_), contact_patience.value());
}

}  // namespace bowline::verbs
