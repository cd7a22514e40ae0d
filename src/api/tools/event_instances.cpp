// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 15.3.8.6: what a callback may ask of the event for which it is called. No lock is taken: an instance
// exists during the callback only.
#include <cstring>

#include "api/tools/event_registration.hpp"
#include "api/tools/tool_interface.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

const MPI_ABI_T_event_instance& found(MPI_T_event_instance instance) {
  if (instance == nullptr) throw ToolError(MPI_T_ERR_INVALID_HANDLE);
  return *instance;
}

}  // namespace

void t_event_read(MPI_T_event_instance event_instance, int element_index, void* buffer) {
  const Occurrence& event = found(event_instance).event;
  const auto fields = event.kind.fields();
  const EventField& field = fields[checked_index(element_index, fields.size())];
  std::memcpy(&required(static_cast<std::byte*>(buffer)), event.record.data() + field.offset, field.bytes());
}

void t_event_copy(MPI_T_event_instance event_instance, void* buffer) {
  const Occurrence& event = found(event_instance).event;
  std::memcpy(&required(static_cast<std::byte*>(buffer)), event.record.data(), event.record.size());
}

void t_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count* event_timestamp) {
  required(event_timestamp) = found(event_instance).event.time;
}

void t_event_get_source(MPI_T_event_instance event_instance, int* source_index) {
  required(source_index) = found(event_instance).source;
}

}  // namespace bowline::api
