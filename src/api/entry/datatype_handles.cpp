// SPDX-License-Identifier: BSD-3-Clause
#include "api/entry/datatype_handles.hpp"

namespace bowline::api {

MPI_Datatype to_handle(const dtype::Datatype& type) noexcept {
  const std::uintptr_t named = dtype::handle_of(type);
  return reinterpret_cast<MPI_Datatype>(named != 0 ? named : reinterpret_cast<std::uintptr_t>(&type));
}

}  // namespace bowline::api
