// SPDX-License-Identifier: BSD-3-Clause
// MPICH's ABI, which Intel MPI, MVAPICH and Cray MPICH share. The names are MPI's without "MPI_". in_X converts what
// the program passes, out_X what it gets.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "abi_conversions.hpp"
#include "abi_types.hpp"
#include "abi_values.hpp"
#include "front/scratch.hpp"
#include "front/status_words.hpp"

#pragma GCC visibility push(default)
extern "C" int MPIR_Dup_fn(int, int, void*, void* value, void* copy, int* wanted);
#pragma GCC visibility pop

namespace abi {

// ---- statuses

/// Writes all but MPI_ERROR.
inline void write_status(Status& here, const MPI_Status& standard) noexcept {
  const auto bytes = static_cast<std::uint64_t>(front::status_bytes(standard));
  here.count_low = static_cast<int>(static_cast<std::uint32_t>(bytes));
  here.count_high_and_cancelled = static_cast<int>(bytes >> 32 << 1 | (front::status_cancelled(standard) ? 1 : 0));
  here.MPI_SOURCE = out_rank(standard.MPI_SOURCE);
  here.MPI_TAG = out_tag(standard.MPI_TAG);
}

inline MPI_Status read_status(const Status& here) noexcept {
  const auto low = static_cast<std::uint32_t>(here.count_low);
  const auto high = static_cast<std::uint32_t>(here.count_high_and_cancelled);
  const auto bytes = std::uint64_t{high >> 1} << 32 | low;
  return front::make_status(in_rank(here.MPI_SOURCE), in_tag(here.MPI_TAG), in_error(here.MPI_ERROR),
                            static_cast<MPI_Count>(bytes), (high & 1) != 0);
}

// MPI_LB and MPI_UB, which MPI-3.0 removed.
inline bool is_lower_bound(Datatype type) noexcept {
  return type == 0x4c000010;
}
inline bool is_upper_bound(Datatype type) noexcept {
  return type == 0x4c000011;
}

/// The requests of a call that starts or completes several.
class Requests {
 public:
  Requests(int count, Request* here) : here_(here), standard_(here == nullptr ? 0 : front::length(count)) {
    for (std::size_t i = 0; i < standard_.size(); ++i) standard_[i] = in_request(here[i]);
  }
  MPI_Request* data() noexcept { return here_ == nullptr ? nullptr : standard_.data(); }
  /// A request that is completed and no persistent one has become null; no other changes.
  void store() noexcept {
    for (std::size_t i = 0; i < standard_.size(); ++i) {
      if (standard_[i] == MPI_REQUEST_NULL) here_[i] = request_null;
    }
  }

 private:
  Request* here_;
  front::Scratch<MPI_Request> standard_;
};

// The types of callbacks.
#include "abi_callbacks.hpp"

/// Whether this is MPI_COMM_DUP_FN or one of its like.
inline bool is_dup_function(const void* function) noexcept {
  return function == reinterpret_cast<const void*>(MPIR_Dup_fn);
}

/// Fortran's number of an attribute key. One of MPI's own keys has the number that follows C's.
inline int in_keyval_of_fortran(int keyval) noexcept {
  for (const front::Pair& own : keyval_pairs) {
    if (own.here == keyval - 1) return own.standard;
  }
  return in_keyval(keyval);
}

}  // namespace abi
