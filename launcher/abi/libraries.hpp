// SPDX-License-Identifier: BSD-3-Clause
// The environment variables with which programs that were built for another MPI find Bowline's libraries.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "launcher/abi/mpi_abi.hpp"
#include "launcher/job_options.hpp"

namespace bowline::launcher {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Where the libraries of the ABIs are: a folder for each. Next to this program, in lib/bowline of its prefix.
std::filesystem::path front_folder();

/// The variables for a program. A program of which nothing can be seen (a script, an interpreter) gets the libraries of
/// all ABIs; they have different names. `wanted`: the ABI that the user names; empty: as found. `library_path`,
/// `preload`: the program's own LD_LIBRARY_PATH and LD_PRELOAD, which come after Bowline's folders and libraries.
/// Throws UsageError if the program needs MPI libraries of several ABIs, or of a version that Bowline does not know,
/// and LaunchError if Bowline's library is not installed.
Variables library_variables(const std::string& program, const AbiFinding& finding, const std::string& wanted,
                            const std::string& library_path, const std::filesystem::path& folder,
                            const std::string& preload = "");

/// Adds these variables to those of each program on the command line. The variable BOWLINE_ABI names the ABI, or `none`
/// if nothing is to be done. A program that is not found is left to the job's checks.
void choose_libraries(Options& options);

}  // namespace bowline::launcher
