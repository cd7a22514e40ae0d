// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 15.3.7: what performance variables there are.
#include "api/tools/performance_variables.hpp"

#include <algorithm>
#include <string_view>

#include "api/tools/tool_interface.hpp"
#include "bodies.hpp"

namespace bowline::api {

const Measure& measure_at(int index) {
  const auto all = Measure::all();
  return *all[checked_index(index, all.size())];
}

int pvar_class_of(Measure::Kind kind) noexcept {
  switch (kind) {
    case Measure::Kind::counter:
      return MPI_T_PVAR_CLASS_COUNTER;
    case Measure::Kind::timer:
      return MPI_T_PVAR_CLASS_TIMER;
    case Measure::Kind::level:
      return MPI_T_PVAR_CLASS_LEVEL;
    case Measure::Kind::peak:
      break;
  }
  return MPI_T_PVAR_CLASS_HIGHWATERMARK;
}

void t_pvar_get_num(int* num_pvar) {
  const ToolLock lock;
  required(num_pvar) = static_cast<int>(Measure::all().size());
}

void t_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class, MPI_Datatype* datatype,
                     MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly, int* continuous,
                     int* atomic) {
  const ToolLock lock;
  const Measure& measure = measure_at(pvar_index);
  give_string(measure.name(), name, name_len);
  give(verbosity, int{MPI_T_VERBOSITY_TUNER_BASIC});
  give(var_class, pvar_class_of(measure.kind()));
  give(datatype, MPI_UNSIGNED_LONG_LONG);
  give(enumtype, MPI_T_ENUM_NULL);
  give_string(measure.help(), desc, desc_len);
  give(bind, int{MPI_T_BIND_NO_OBJECT});
  const int always_runs = is_continuous(measure) ? 1 : 0;
  give(readonly, always_runs);
  give(continuous, always_runs);
  give(atomic, 1 - always_runs);
}

void t_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  const ToolLock lock;
  const auto all = Measure::all();
  const auto found = std::ranges::find(all, std::string_view(&required(name)), &Measure::name);
  if (found == all.end() || pvar_class_of((*found)->kind()) != var_class) throw ToolError(MPI_T_ERR_INVALID_NAME);
  required(pvar_index) = static_cast<int>(found - all.begin());
}

}  // namespace bowline::api
