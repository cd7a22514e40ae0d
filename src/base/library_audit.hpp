// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec tells the audit library (launcher/audit).
#pragma once

namespace bowline::audit {

/// The name of the library's file, which stands in the folder that `folder_variable` names.
inline constexpr const char* file = "libbowline_audit.so";
/// The folder that has a folder of libraries for each foreign ABI. Beside it are the libraries of the standard ABI.
inline constexpr const char* folder_variable = "BOWLINE_LIBRARIES";
/// The file in which the processes of a rank name the other MPI libraries that they load, each with a 0 at its end.
inline constexpr const char* report_variable = "BOWLINE_LIBRARY_REPORT";

}  // namespace bowline::audit
