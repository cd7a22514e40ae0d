// SPDX-License-Identifier: BSD-3-Clause
// Data representations of the user. Their functions and extra_state are the context of the representation, which lives
// until the process ends.
#include <memory>

#include "front/functions.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {
namespace {

/// `Convert`: the type of conversion functions, with counts of `Count`.
template <class Convert, class Count>
struct Representation {
  Convert* read;
  Convert* write;
  abi::Datarep_extent_function* extent;
  void* extra_state;

  template <Convert* Representation::*function>
  static int convert(void* data, void* userbuf, MPI_Datatype type, MPI_Count count, void* filebuf,
                     MPI_Offset position) {
    const auto& own = *static_cast<Representation*>(data);
    return abi::in_error(
        (own.*function)(userbuf, abi::out_type(type), static_cast<Count>(count), filebuf, position, own.extra_state));
  }
  static int file_extent(void* data, MPI_Datatype type, MPI_Aint* bytes) {
    const auto& own = *static_cast<Representation*>(data);
    return abi::in_error(own.extent(abi::out_type(type), bytes, own.extra_state));
  }
  static void release(void* data) { delete static_cast<Representation*>(data); }

  int add(const char* name) const {
    auto own = std::make_unique<Representation>(*this);
    const int code = interface().register_datarep(name, read == nullptr ? nullptr : convert<&Representation::read>,
                                                  write == nullptr ? nullptr : convert<&Representation::write>,
                                                  extent == nullptr ? nullptr : file_extent, {own.release(), release});
    return out_code(code);
  }
};

}  // namespace

int register_datarep(const char* name, abi::Datarep_conversion_function* read, abi::Datarep_conversion_function* write,
                     abi::Datarep_extent_function* extent, void* extra_state) {
  return Representation<abi::Datarep_conversion_function, int>{read, write, extent, extra_state}.add(name);
}

int register_datarep(const char* name, abi::Datarep_conversion_function_c* read,
                     abi::Datarep_conversion_function_c* write, abi::Datarep_extent_function* extent,
                     void* extra_state) {
  return Representation<abi::Datarep_conversion_function_c, MPI_Count>{read, write, extent, extra_state}.add(name);
}

}  // namespace front
