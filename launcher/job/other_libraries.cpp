// SPDX-License-Identifier: BSD-3-Clause
// See other_libraries.hpp.
#include "launcher/job/other_libraries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include "base/library_audit.hpp"
#include "launcher/abi/mpi_abi.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

fs::path report_of(const fs::path& scratch, int job, int rank) {
  return scratch / fmt::format("libraries.{}.{}", job, rank);
}

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff bytes = file ? std::streamoff{file.tellg()} : 0;
  std::error_code error;
  if (bytes <= 0 || !fs::is_regular_file(path, error)) return {};
  std::string contents(static_cast<std::size_t>(bytes), '\0');
  file.seekg(0).read(contents.data(), static_cast<std::streamsize>(contents.size()));
  contents.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return contents;
}

/// Whether the file is a library of Bowline, of this installation or another: all of them name this version of symbols.
bool is_bowline(const fs::path& library) {
  return contents_of(library).find("BOWLINE_PRIVATE") != std::string::npos;
}

/// The first library of another MPI that a process of the rank has loaded; empty if there is none.
std::string other_library_of(const fs::path& scratch, int job, int rank) {
  const std::string report = contents_of(report_of(scratch, job, rank));
  for (std::size_t begin = 0; begin < report.size();) {
    const std::size_t end = std::min(report.find('\0', begin), report.size());
    std::string library = report.substr(begin, end - begin);
    if (!is_bowline(library)) return library;
    begin = end + 1;
  }
  return {};
}

std::string what_to_do(const std::string& library) {
  std::error_code error;
  const std::string file = fs::canonical(library, error).filename().string();
  for (const Abi& abi : known_abis) {
    for (const std::string_view soname : abi.sonames) {
      if (file.starts_with(soname)) {
        return fmt::format(
            "let the program load it by the name {}, without a path and without BOWLINE_ABI=none, to get Bowline's, or "
            "start the program with the mpiexec of that MPI",
            soname);
      }
    }
  }
  return "Bowline does not have the ABI of that library: start the program with the mpiexec of that MPI";
}

}  // namespace

std::string library_report_variable(const fs::path& scratch, int job, int rank) {
  return fmt::format("{}={}", audit::report_variable, report_of(scratch, job, rank).string());
}

void remove_library_reports(const fs::path& scratch, int job, int ranks) {
  if (scratch.empty()) return;
  std::error_code error;  // most ranks have no such file
  for (int rank = 0; rank < ranks; ++rank) fs::remove(report_of(scratch, job, rank), error);
}

std::string describe_other_libraries(const fs::path& scratch, int job, const std::vector<int>& apart) {
  if (scratch.empty()) return {};  // no process can name libraries anywhere
  std::string library, who;
  std::size_t others = 0;
  for (const int rank : apart) {
    const std::string loaded = other_library_of(scratch, job, rank);
    if (loaded.empty()) continue;
    if (library.empty()) {
      library = loaded;
      who = fmt::format("rank {}", rank);
    } else {
      ++others;
    }
  }
  if (library.empty()) return {};
  if (others > 0) who += fmt::format(" and {} other {}", others, others == 1 ? "rank" : "ranks");
  return fmt::format(
      "warning: {} loaded {}, another MPI library, and did not call Bowline's MPI_Init, so each was a job of one rank; "
      "{}",
      who, library, what_to_do(library));
}

}  // namespace bowline::launcher
