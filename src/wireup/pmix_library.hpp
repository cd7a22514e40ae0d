// SPDX-License-Identifier: BSD-3-Clause
// PMIx's functions. The library is loaded when a process first meets a PMIx server, or becomes one, so a process
// without a launcher starts without it, and where it is not installed. What PMIx's macros do is in pmix_values.hpp:
// many of them are calls of functions.
#pragma once

#include <pmix.h>

#include <string>
#include <vector>

#include "base/shared_library.hpp"

namespace bowline::wireup {

/// The files in which PMIx may be, in the order in which they are tried. The launcher's choice comes first: two
/// versions of PMIx understand each other, but some launchers come with the only one that their node has.
std::vector<std::string> pmix_files();

/// Loads PMIx 4.2 or newer. Throws Error.
SharedLibrary load_pmix();

/// The functions of both sides. The members are named as in pmix.h, without the prefix PMIx_.
struct PmixLibrary {
  SharedLibrary file = load_pmix();
  decltype(&PMIx_Error_string) error_string = file.function("PMIx_Error_string");
  decltype(&PMIx_Info_load) info_load = file.function("PMIx_Info_load");
  decltype(&PMIx_Value_destruct) value_destruct = file.function("PMIx_Value_destruct");
};

/// The functions of a client.
struct PmixClient {
  const SharedLibrary& file;
  decltype(&PMIx_Init) init = file.function("PMIx_Init");
  decltype(&PMIx_Finalize) finalize = file.function("PMIx_Finalize");
  decltype(&PMIx_Abort) abort = file.function("PMIx_Abort");
  decltype(&PMIx_Put) put = file.function("PMIx_Put");
  decltype(&PMIx_Commit) commit = file.function("PMIx_Commit");
  decltype(&PMIx_Fence) fence = file.function("PMIx_Fence");
  decltype(&PMIx_Get) get = file.function("PMIx_Get");
  decltype(&PMIx_Get_nb) get_nb = file.function("PMIx_Get_nb");
  decltype(&PMIx_Query_info) query_info = file.function("PMIx_Query_info");
  decltype(&PMIx_Lookup) lookup = file.function("PMIx_Lookup");
  decltype(&PMIx_Lookup_nb) lookup_nb = file.function("PMIx_Lookup_nb");
  decltype(&PMIx_Spawn) spawn = file.function("PMIx_Spawn");
};

/// They load PMIx in the first call; PMIx stays loaded until the process ends. Throw Error (MPI_ERR_OTHER) that names
/// what is missing.
const PmixLibrary& pmix();
const PmixClient& pmix_client();

}  // namespace bowline::wireup
