// SPDX-License-Identifier: BSD-3-Clause
// Hints: the info keys of windows (MPI-5.0, section 12.2.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/info.hpp"

namespace bowline::rma {

struct Hints {
  bool no_locks = false;
  bool same_size = false;
  bool same_unit = false;
  bool noncontiguous = false;  ///< alloc_shared_noncontig
  bool ordered = true;         ///< whether accumulate_ordering keeps any order
  std::string ordering = "rar,raw,war,waw";
  std::string operations = "same_op_no_op";
  std::uint64_t granularity = 0;  ///< mpi_accumulate_granularity, in bytes; 0: none given
  std::size_t alignment = 64;     ///< mpi_minimum_memory_alignment

  /// Takes the hints that are known and valid, and ignores all others. `made`: the window exists, so hints on which its
  /// construction depends have no effect any more.
  void read(const Info& info, bool made);
  /// Enters the hints in use.
  void write(Info& info, bool shared) const;
};

}  // namespace bowline::rma
