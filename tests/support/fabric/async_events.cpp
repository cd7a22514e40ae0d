// SPDX-License-Identifier: BSD-3-Clause
// Asynchronous events of a device: a queue pair, a receive queue or a completion queue in trouble.
#include "support/fabric/adapter.hpp"
#include "support/fabric/events.hpp"

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

}  // extern "C"
