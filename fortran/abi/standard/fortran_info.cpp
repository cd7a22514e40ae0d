// SPDX-License-Identifier: BSD-3-Clause
// What the library tells MPI about Fortran (MPI-5.0, section 20.4). All compilers that Bowline knows have these default
// kinds and types, but for REAL with 16 bits, which only flang has.
#include <mutex>

#include "fortran_abi.hpp"

namespace bowline::fortran {
namespace {

struct Property {
  const char* key;
  const char* value;
};
constexpr Property properties[] = {
    {"mpi_logical_size", "4"},           {"mpi_integer_size", "4"},           {"mpi_real_size", "4"},
    {"mpi_double_precision_size", "8"},  {"mpi_logical1_supported", "true"},  {"mpi_logical2_supported", "true"},
    {"mpi_logical4_supported", "true"},  {"mpi_logical8_supported", "true"},  {"mpi_logical16_supported", "true"},
    {"mpi_integer1_supported", "true"},  {"mpi_integer2_supported", "true"},  {"mpi_integer4_supported", "true"},
    {"mpi_integer8_supported", "true"},  {"mpi_integer16_supported", "true"}, {"mpi_real4_supported", "true"},
    {"mpi_real8_supported", "true"},     {"mpi_real16_supported", "true"},    {"mpi_complex8_supported", "true"},
    {"mpi_complex16_supported", "true"}, {"mpi_complex32_supported", "true"}, {"mpi_double_complex_supported", "true"},
};

constexpr const char* half_types[] = {"mpi_real2_supported", "mpi_complex4_supported"};

/// In flang's runtime library; every program that flang has compiled and linked calls it first.
extern "C" [[gnu::weak]] void _FortranAProgramStart(int argc, const char** argv, const char** envp,
                                                    const void* defaults);

void tell() {
  MPI_Info info = MPI_INFO_NULL;
  if (PMPI_Abi_get_fortran_info(&info) != MPI_SUCCESS) return;
  if (info == MPI_INFO_NULL) {
    PMPI_Info_create(&info);
    for (const Property& property : properties) PMPI_Info_set(info, property.key, property.value);
    const char* const has_half = &_FortranAProgramStart != nullptr ? "true" : "false";
    for (const char* const type : half_types) PMPI_Info_set(info, type, has_half);
    PMPI_Abi_set_fortran_info(info);
  }
  PMPI_Info_free(&info);
}

}  // namespace

void starting() noexcept {
  static std::once_flag once;
  std::call_once(once, tell);
}

}  // namespace bowline::fortran
