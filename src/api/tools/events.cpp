// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 15.3.8: what events there are, and from which sources they come.
#include "api/tools/events.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "api/environment/info_handles.hpp"
#include "api/tools/enumerations.hpp"
#include "api/tools/event_registration.hpp"
#include "api/tools/tool_interface.hpp"
#include "base/info.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

constexpr std::array<std::string_view, event_sources> source_names{"bowline", "bowline.deferred"};
constexpr std::array<std::string_view, event_sources> source_helps{
    "events for callbacks that are called where they happen; nanoseconds of the monotonic clock",
    "the same events for callbacks that require nothing (MPI_T_CB_REQUIRE_NONE), which are called at the end of a "
    "later call; the times are those of the events"};

MPI_Datatype datatype_of(const EventField& field) {
  return field.type == EventField::Type::int32 ? MPI_INT32_T : MPI_UINT64_T;
}

/// What the event is, and what its elements mean.
std::string description_of(const EventKind& kind) {
  std::string text(kind.help());
  const char* before = ": ";
  for (const EventField& each : kind.fields()) {
    text.append(before).append(each.name).append(" (").append(each.help).append(")");
    before = ", ";
  }
  return text;
}

/// The names of its elements, with commas between, for the key "elements".
Info hints_about(const EventKind& kind) {
  std::string names;
  for (const EventField& each : kind.fields()) names.append(names.empty() ? "" : ",").append(each.name);
  Info info;
  info.set("elements", names);
  return info;
}

/// Of its first element that is a word; null if there is none.
MPI_T_enum enumeration_in(const EventKind& kind) {
  const auto field = std::ranges::find_if(kind.fields(), [](const EventField& each) { return !each.words.empty(); });
  return field == kind.fields().end()
             ? MPI_T_ENUM_NULL
             : enumeration_of(std::string(kind.name()).append(".").append(field->name), field->words);
}

}  // namespace

EventKind& event_at(int index) {
  const auto all = EventKind::all();
  return *all[checked_index(index, all.size())];
}

void t_event_get_num(int* num_events) {
  const ToolLock lock;
  required(num_events) = static_cast<int>(EventKind::all().size());
}

void t_event_get_info(int event_index, char* name, int* name_len, int* verbosity, MPI_Datatype array_of_datatypes[],
                      MPI_Aint array_of_displacements[], int* num_elements, MPI_T_enum* enumtype, MPI_Info* info,
                      char* desc, int* desc_len, int* bind) {
  const ToolLock lock;
  const EventKind& kind = event_at(event_index);
  const auto fields = kind.fields();
  if (num_elements != nullptr) {
    if (*num_elements < 0) throw ToolError(MPI_T_ERR_INVALID);
    const auto room = static_cast<std::size_t>(*num_elements);
    for (std::size_t i = 0; i < std::min(room, fields.size()); ++i) {
      if (array_of_datatypes != nullptr) array_of_datatypes[i] = datatype_of(fields[i]);
      if (array_of_displacements != nullptr) array_of_displacements[i] = static_cast<MPI_Aint>(fields[i].offset);
    }
    *num_elements = static_cast<int>(fields.size());
  }
  give_string(kind.name(), name, name_len);
  give(verbosity, int{MPI_T_VERBOSITY_TUNER_DETAIL});
  give(enumtype, enumeration_in(kind));
  give_string(description_of(kind), desc, desc_len);
  give(bind, int{MPI_T_BIND_NO_OBJECT});
  if (info != nullptr) *info = info_handle(hints_about(kind));
}

void t_event_get_index(const char* name, int* event_index) {
  const ToolLock lock;
  const auto all = EventKind::all();
  const auto found = std::ranges::find(all, std::string_view(&required(name)), &EventKind::name);
  if (found == all.end()) throw ToolError(MPI_T_ERR_INVALID_NAME);
  required(event_index) = static_cast<int>(found - all.begin());
}

void t_source_get_num(int* num_sources) {
  const ToolLock lock;
  required(num_sources) = event_sources;
}

void t_source_get_info(int source_index, char* name, int* name_len, char* desc, int* desc_len,
                       MPI_T_source_order* ordering, MPI_Count* ticks_per_second, MPI_Count* max_ticks,
                       MPI_Info* info) {
  const ToolLock lock;
  const std::size_t source = checked_index(source_index, event_sources);
  give_string(source_names[source], name, name_len);
  give_string(source_helps[source], desc, desc_len);
  give(ordering, source == immediate_source ? MPI_T_SOURCE_ORDERED : MPI_T_SOURCE_UNORDERED);
  give(ticks_per_second, MPI_Count{1'000'000'000});
  give(max_ticks, std::numeric_limits<MPI_Count>::max());
  if (info != nullptr) *info = info_handle({});
}

void t_source_get_timestamp(int source_index, MPI_Count* timestamp) {
  const ToolLock lock;
  static_cast<void>(checked_index(source_index, event_sources));
  required(timestamp) = event_time();
}

}  // namespace bowline::api
