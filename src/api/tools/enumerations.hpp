// SPDX-License-Identifier: BSD-3-Clause
// The enumerations of variables whose values are words (MPI-5.0, section 15.3.5).
#pragma once

#include <mpi.h>

#include <span>
#include <string>
#include <string_view>

/// What an MPI_T_enum refers to. It lives as long as the process.
struct MPI_ABI_T_enum {
  std::string name;
  std::span<const std::string_view> words;  ///< of the values 0, 1, 2 ...
};

namespace bowline::api {

/// The enumeration with these words; null if there are none. `name`: of the variable. Under ToolLock.
MPI_T_enum enumeration_of(std::string_view name, std::span<const std::string_view> words);

}  // namespace bowline::api
