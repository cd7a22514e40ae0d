// SPDX-License-Identifier: BSD-3-Clause
// Data representations whose functions are in Fortran (MPI-5.0, section 14.5.3). They live until the process ends, and
// so do their contexts.
#include <memory>

#include "procedures/callbacks.hpp"
#include "procedures/texts.hpp"
#include "written.hpp"

namespace bowline::fortran {
namespace {

struct Datarep {
  Procedure* read;
  Procedure* write;
  Procedure* extent;
  MPI_Aint extra_state;
};

int extent_of(MPI_Datatype datatype, MPI_Aint* extent, void* context) {
  auto& datarep = *static_cast<Datarep*>(context);
  MPI_Fint number = number_of(datatype);
  MPI_Fint code = MPI_SUCCESS;
  call(datarep.extent, &number, extent, &datarep.extra_state, &code);
  return code;
}

template <class Count, Procedure* Datarep::*function>
int convert(void* userbuf, MPI_Datatype datatype, Count count, void* filebuf, MPI_Offset position, void* context) {
  auto& datarep = *static_cast<Datarep*>(context);
  MPI_Fint number = number_of(datatype);
  MPI_Fint code = MPI_SUCCESS;
  call(datarep.*function, static_cast<char*>(userbuf), &number, &count, static_cast<char*>(filebuf), &position,
       &datarep.extra_state, &code);
  return code;
}

template <class Count, class Register>
int make(Register registers, const Datarep& given, Text name) {
  const auto is_null = [](Procedure* procedure) { return predefined(procedure) == Predefined::conversion_null; };
  auto kept = std::make_unique<Datarep>(given);
  const int code = registers(name, is_null(given.read) ? nullptr : convert<Count, &Datarep::read>,
                             is_null(given.write) ? nullptr : convert<Count, &Datarep::write>, extent_of, kept.get());
  if (code == MPI_SUCCESS) static_cast<void>(kept.release());
  return code;
}

}  // namespace

namespace written {

int register_datarep(decltype(PMPI_Register_datarep)* callee, const char* datarep, Procedure* read_conversion_fn,
                     Procedure* write_conversion_fn, Procedure* dtype_file_extent_fn, const MPI_Aint* extra_state,
                     std::size_t datarep_length) {
  return make<int>(callee, {read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, *extra_state},
                   Text(datarep, datarep_length));
}
int register_datarep_c(decltype(PMPI_Register_datarep_c)* callee, const char* datarep, Procedure* read_conversion_fn,
                       Procedure* write_conversion_fn, Procedure* dtype_file_extent_fn, const MPI_Aint* extra_state,
                       std::size_t datarep_length) {
  return make<MPI_Count>(callee, {read_conversion_fn, write_conversion_fn, dtype_file_extent_fn, *extra_state},
                         Text(datarep, datarep_length));
}

}  // namespace written
}  // namespace bowline::fortran
