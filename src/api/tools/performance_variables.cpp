// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 15.3.7: what performance variables there are.
#include "api/tools/performance_variables.hpp"

#include <string_view>

#include "api/tools/object_variables.hpp"
#include "api/tools/tool_interface.hpp"
#include "bodies.hpp"

namespace bowline::api {

namespace {

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

class ValueOfMeasure final : public ObjectValues {
 public:
  explicit ValueOfMeasure(Measure& measure) noexcept : measure_(measure) { measure_.want(1); }
  ValueOfMeasure(const ValueOfMeasure&) = delete;
  ValueOfMeasure& operator=(const ValueOfMeasure&) = delete;
  ~ValueOfMeasure() override { measure_.want(-1); }
  std::size_t count() const noexcept override { return 1; }
  std::uint64_t value(std::size_t) const noexcept override { return measure_.value(); }

 private:
  Measure& measure_;
};

}  // namespace

PerformanceVariable PerformanceVariable::at(int index) {
  const auto measures = Measure::all();
  const std::size_t place = checked_index(index, number());
  if (place < measures.size()) return PerformanceVariable(*measures[place]);
  return PerformanceVariable(*object_variables()[place - measures.size()]);
}

std::size_t PerformanceVariable::number() {
  return Measure::all().size() + object_variables().size();
}

std::string_view PerformanceVariable::name() const noexcept {
  return measure_ != nullptr ? measure_->name() : variable_->name();
}

std::string_view PerformanceVariable::help() const noexcept {
  return measure_ != nullptr ? measure_->help() : variable_->help();
}

int PerformanceVariable::pvar_class() const noexcept {
  if (measure_ != nullptr) return pvar_class_of(measure_->kind());
  switch (variable_->kind()) {
    case ObjectVariable::Kind::size:
      return MPI_T_PVAR_CLASS_SIZE;
    case ObjectVariable::Kind::counter:
      return MPI_T_PVAR_CLASS_COUNTER;
    case ObjectVariable::Kind::level:
      break;
  }
  return MPI_T_PVAR_CLASS_LEVEL;
}

int PerformanceVariable::bind() const noexcept {
  const bool bound = variable_ != nullptr && variable_->object() == ObjectVariable::Object::communicator;
  return bound ? MPI_T_BIND_MPI_COMM : MPI_T_BIND_NO_OBJECT;
}

MPI_Datatype PerformanceVariable::datatype() const noexcept {
  if (bind() == MPI_T_BIND_NO_OBJECT) return MPI_UNSIGNED_LONG_LONG;
  return bytes_of_value() == sizeof(unsigned) ? MPI_UNSIGNED : MPI_UNSIGNED_LONG;
}

std::size_t PerformanceVariable::bytes_of_value() const noexcept {
  const bool narrow = variable_ != nullptr && variable_->element() == ObjectVariable::Element::uint32;
  return narrow ? sizeof(std::uint32_t) : sizeof(std::uint64_t);
}

bool PerformanceVariable::is_continuous() const noexcept {
  const int of = pvar_class();
  return of == MPI_T_PVAR_CLASS_LEVEL || of == MPI_T_PVAR_CLASS_HIGHWATERMARK;
}

std::unique_ptr<ObjectValues> PerformanceVariable::values(const void* object) const {
  if (measure_ != nullptr) return std::make_unique<ValueOfMeasure>(*measure_);
  return variable_->of(object);
}

void t_pvar_get_num(int* num_pvar) {
  const ToolLock lock;
  required(num_pvar) = static_cast<int>(PerformanceVariable::number());
}

void t_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class, MPI_Datatype* datatype,
                     MPI_T_enum* enumtype, char* desc, int* desc_len, int* bind, int* readonly, int* continuous,
                     int* atomic) {
  const ToolLock lock;
  const PerformanceVariable variable = PerformanceVariable::at(pvar_index);
  give_string(variable.name(), name, name_len);
  give(verbosity, int{MPI_T_VERBOSITY_TUNER_BASIC});
  give(var_class, variable.pvar_class());
  give(datatype, variable.datatype());
  give(enumtype, MPI_T_ENUM_NULL);
  give_string(variable.help(), desc, desc_len);
  give(bind, variable.bind());
  const int always_runs = variable.is_continuous() ? 1 : 0;
  give(readonly, always_runs);
  give(continuous, always_runs);
  give(atomic, 1 - always_runs);
}

void t_pvar_get_index(const char* name, int var_class, int* pvar_index) {
  const ToolLock lock;
  const std::string_view wanted(&required(name));
  for (int i = 0; i < static_cast<int>(PerformanceVariable::number()); ++i) {
    const PerformanceVariable each = PerformanceVariable::at(i);
    if (each.name() != wanted || each.pvar_class() != var_class) continue;
    required(pvar_index) = i;
    return;
  }
  throw ToolError(MPI_T_ERR_INVALID_NAME);
}

}  // namespace bowline::api
