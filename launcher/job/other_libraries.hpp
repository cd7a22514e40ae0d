// SPDX-License-Identifier: BSD-3-Clause
// What the audit library (launcher/audit) tells mpiexec: the MPI libraries of others that the processes of a rank have
// loaded.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace bowline::launcher {

/// `scratch`: the directory of mpiexec's files; `job`: the number of the job among the jobs of mpiexec. Returns the
/// variable (NAME=VALUE) by which the processes of a rank find the file in which they name the libraries of another MPI
/// that they load.
std::string library_report_variable(const std::filesystem::path& scratch, int job, int rank);

/// The warning about ranks that have loaded another MPI library; empty if there are none. `apart`: the ranks that have
/// not called Bowline's MPI_Init.
std::string describe_other_libraries(const std::filesystem::path& scratch, int job, const std::vector<int>& apart);

/// Removes the files in which the processes of a job's ranks have named libraries.
void remove_library_reports(const std::filesystem::path& scratch, int job, int ranks);

}  // namespace bowline::launcher
