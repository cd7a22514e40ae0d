// SPDX-License-Identifier: BSD-3-Clause
// Performance variables (MPI-5.0, section 15.3.7): first the measures of the library, then the variables of its
// communicators (base/object_variable.hpp), by their names. Counters, timers and sizes can be started and stopped, so
// that a handle counts what happens in between. Levels and peaks are read-only, and always run.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/counter.hpp"
#include "base/object_variable.hpp"

namespace bowline::api {

/// A performance variable: one of the two kinds.
class PerformanceVariable {
 public:
  /// Throws ToolError.
  static PerformanceVariable at(int index);
  static std::size_t number();

  std::string_view name() const noexcept;
  std::string_view help() const noexcept;
  int pvar_class() const noexcept;
  int bind() const noexcept;
  MPI_Datatype datatype() const noexcept;
  std::size_t bytes_of_value() const noexcept;
  /// Whether it always runs and is read-only.
  bool is_continuous() const noexcept;
  /// Its values for an object, or without one. Throws ToolError.
  std::unique_ptr<ObjectValues> values(const void* object) const;

 private:
  explicit PerformanceVariable(Measure& measure) : measure_(&measure) {}
  explicit PerformanceVariable(const ObjectVariable& variable) : variable_(&variable) {}

  Measure* measure_ = nullptr;
  const ObjectVariable* variable_ = nullptr;
};

}  // namespace bowline::api
