// SPDX-License-Identifier: BSD-3-Clause
// Open MPI's ABI. The names are MPI's without "MPI_". in_X converts what the program passes, out_X what it gets.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "abi_conversions.hpp"
#include "abi_types.hpp"
#include "abi_values.hpp"
#include "front/status_words.hpp"

#pragma GCC visibility push(default)
extern "C" int OMPI_C_MPI_DUP_FN(void*, int, void*, void* value, void* copy, int* wanted);
extern "C" int OMPI_C_MPI_COMM_DUP_FN(void*, int, void*, void* value, void* copy, int* wanted);
extern "C" int OMPI_C_MPI_TYPE_DUP_FN(void*, int, void*, void* value, void* copy, int* wanted);
#pragma GCC visibility pop

namespace abi {

// ---- statuses

/// Writes all but MPI_ERROR.
inline void write_status(Status& here, const MPI_Status& standard) noexcept {
  here.MPI_SOURCE = out_rank(standard.MPI_SOURCE);
  here.MPI_TAG = out_tag(standard.MPI_TAG);
  here.cancelled = front::status_cancelled(standard) ? 1 : 0;
  here.bytes = static_cast<std::size_t>(front::status_bytes(standard));
}

inline MPI_Status read_status(const Status& here) noexcept {
  return front::make_status(in_rank(here.MPI_SOURCE), in_tag(here.MPI_TAG), in_error(here.MPI_ERROR),
                            static_cast<MPI_Count>(here.bytes), here.cancelled != 0);
}

// MPI_LB and MPI_UB, which MPI-3.0 removed.
extern "C" Predefined ompi_mpi_lb;
extern "C" Predefined ompi_mpi_ub;
inline bool is_lower_bound(Datatype type) noexcept {
  return type == reinterpret_cast<Datatype>(&ompi_mpi_lb);
}
inline bool is_upper_bound(Datatype type) noexcept {
  return type == reinterpret_cast<Datatype>(&ompi_mpi_ub);
}

/// The requests of a call that starts or completes several: the program's array, which holds the handles of the
/// standard ABI during the call.
class Requests {
 public:
  Requests(int count, Request* here) noexcept
      : count_(here == nullptr || count < 0 ? 0 : static_cast<std::size_t>(count)), here_(here) {
    for (std::size_t i = 0; i < count_; ++i) {
      if (here_[i] == request_null()) here_[i] = reinterpret_cast<Request>(MPI_REQUEST_NULL);
    }
  }
  MPI_Request* data() noexcept { return reinterpret_cast<MPI_Request*>(here_); }
  void store() noexcept {
    for (std::size_t i = 0; i < count_; ++i) {
      if (here_[i] == reinterpret_cast<Request>(MPI_REQUEST_NULL)) here_[i] = request_null();
    }
  }

 private:
  std::size_t count_;
  Request* here_;
};

// The types of callbacks.
#include "abi_callbacks.hpp"

/// Whether this is MPI_COMM_DUP_FN or one of its like.
inline bool is_dup_function(const void* function) noexcept {
  for (const auto own : {OMPI_C_MPI_DUP_FN, OMPI_C_MPI_COMM_DUP_FN, OMPI_C_MPI_TYPE_DUP_FN}) {
    if (function == reinterpret_cast<const void*>(own)) return true;
  }
  return false;
}

/// Fortran's number of an attribute key is that of C.
inline int in_keyval_of_fortran(int keyval) noexcept {
  return in_keyval(keyval);
}

}  // namespace abi
