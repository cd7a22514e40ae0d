// SPDX-License-Identifier: BSD-3-Clause
// See abi_report.hpp.
#include "launcher/info/abi_report.hpp"

#include <cstdlib>
#include <filesystem>

#include "launcher/abi/libraries.hpp"
#include "launcher/abi/mpi_abi.hpp"
#include "launcher/job_check.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

std::string value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string abi_report(const std::string& program) {
  const std::string path = value_of("PATH");
  const LoaderSettings own{.library_path = value_of("LD_LIBRARY_PATH"),
                           .preload = value_of("LD_PRELOAD"),
                           .audit = value_of("LD_AUDIT"),
                           .tunables = value_of("GLIBC_TUNABLES")};
  const std::filesystem::path directory = std::filesystem::current_path();
  const std::string file = find_program(program, "", path);
  const AbiFinding finding = examine_program(directory / file, own.library_path, directory, path);
  std::string report;
  for (const MpiLibrary& library : finding.libraries)
    report += fmt::format("  {} is needed by {}\n", library.soname, library.needed_by.string());
  const Variables variables = library_variables(program, finding, value_of("BOWLINE_ABI"), own, front_folder());
  report = fmt::format("{} {}\n", program, in_words(finding)) + report;
  for (const auto& [name, value] : variables) report += fmt::format("  mpiexec sets {}={}\n", name, value);
  if (variables.empty()) report += "  mpiexec sets no variable for it\n";
  return report;
}

}  // namespace bowline::launcher
