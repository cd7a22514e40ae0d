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

/// The program's own values of the loader's variables. Bowline's folders and libraries come before them.
struct LoaderSettings {
  std::string library_path;  ///< LD_LIBRARY_PATH
  std::string preload;       ///< LD_PRELOAD
  std::string audit;         ///< LD_AUDIT
  std::string tunables;      ///< GLIBC_TUNABLES
};

/// The variables for a program. A program of which nothing can be seen (a script, an interpreter) gets the libraries of
/// all ABIs, which have different names, and the audit library (launcher/audit), which answers for them in all
/// processes below it, unless the command would suffer from the audit library (containers, valgrind). A program for the
/// standard ABI gets the audit library if it would find another MPI's library. `wanted`: the ABI that the user names;
/// empty: as found. `folder`: front_folder(). Throws UsageError if the program needs MPI libraries of several ABIs, or
/// of a version that Bowline does not know, and LaunchError if Bowline's library is not installed.
Variables library_variables(const std::string& program, const AbiFinding& finding, const std::string& wanted,
                            const LoaderSettings& own, const std::filesystem::path& folder);

/// What can be learnt about the program of a part of the command line. `program`: its file.
AbiFinding finding_for(const App& app, const std::filesystem::path& program);

/// Adds these variables to the variables of each program on the command line. The variable BOWLINE_ABI names the ABI,
/// or `none` if nothing is to be done. A program that is not found is left to the job's checks.
void choose_libraries(Options& options);

}  // namespace bowline::launcher
