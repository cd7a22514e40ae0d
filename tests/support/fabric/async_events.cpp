// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous events of a device: a queue pair, a receive queue or a completion queue in trouble.
#include "support/fabric/adapter.hpp"
#include "support/fabric/events.hpp"
#include "support/fabric/fabric_control.hpp"
#include "support/fabric/misuse.hpp"

using namespace fabric;

extern "C" {

int ibv_get_async_event(ibv_context* context, ibv_async_event* event) {
  std::uint64_t object = 0;
  int type = 0;
  if (!take_event(context_of(context).events, context->async_fd, object, type)) return -1;
  event->event_type = static_cast<ibv_event_type>(type);
  // All pointers of the union are alike.
  event->element.qp = reinterpret_cast<ibv_qp*>(object);
  return 0;
}

void ibv_ack_async_event(ibv_async_event* /*event*/) {}

void fabric_report_event(int device, int type, int port) {
  const SubnetLock lock;
  bool heard = false;
  for (const Context* const context : open_contexts()) {
    if (context->device_number != device) continue;
    add_event(context->events, static_cast<std::uint64_t>(port), type);
    heard = true;
  }
  if (!heard) misuse("fabric_report_event for device %d, which is not open", device);
}

}  // extern "C"
