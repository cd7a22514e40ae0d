// SPDX-License-Identifier: BSD-3-Clause
// The variables BOWLINE_* that are no tunables, because other parts of Bowline than the library read them, or because
// they hold a secret.
#pragma once

#include <string_view>

#include "base/debugger_gate.hpp"
#include "base/job_folder.hpp"
#include "base/keep_going.hpp"
#include "base/library_audit.hpp"
#include "base/parent_port.hpp"
#include "base/waits/wait_slot.hpp"

namespace bowline {

struct OtherVariable {
  std::string_view name;
  std::string_view help;  ///< who reads it, and for what
};

inline constexpr OtherVariable other_variables[] = {
    {"BOWLINE_ABI", "mpiexec and the modulefile: for which MPI the programs were built (docs/abi.md)"},
    {"BOWLINE_CC", "mpicc: the compiler"},
    {"BOWLINE_CXX", "mpicxx: the compiler"},
    {"BOWLINE_FC", "mpifort: the compiler"},
    {"BOWLINE_MPIEXEC", "processes without a launcher: the mpiexec by which they start others (docs/dynamic.md)"},
    {"BOWLINE_PMIX",
     "mpiexec and ranks: the file of the PMIx library, in place of the one they find (docs/packages.md)"},
    {"BOWLINE_RENDEZVOUS", "processes that nobody has launched: where they become one world (docs/dynamic.md)"},
    {"BOWLINE_TESTBED", "slurm/testbed: the name of the rig (docs/slurm.md)"},
    {keep_going_variable, "ranks: set by mpiexec --keep-going, 1: the job goes on when a rank is lost"},
    {debugger_gate_variable, "ranks: set by mpiexec, where they wait until a debugger has attached to them"},
    {audit::folder_variable, "processes of the ranks: set by mpiexec, where Bowline's libraries of each ABI are"},
    {audit::report_variable, "processes of the ranks: set by mpiexec, where they name other MPI libraries"},
    {JobFolderTicket::variable, "ranks: set by mpiexec, the folder of the job's files"},
    {ParentPort::variable, "processes that MPI_Comm_spawn has started: set by the library, where their parents wait"},
    {ParentPort::program_variable, "the same: set by the library, the number of their program"},
    {WaitBoardTicket::variable, "ranks: set by mpiexec, where they write what they wait for"},
};

}  // namespace bowline
