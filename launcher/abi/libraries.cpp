// SPDX-License-Identifier: BSD-3-Clause
// See libraries.hpp.
#include "launcher/abi/libraries.hpp"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/library_audit.hpp"
#include "launcher/environment.hpp"
#include "launcher/job_check.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* path_variable = "LD_LIBRARY_PATH";
constexpr const char* preload_variable = "LD_PRELOAD";
constexpr const char* audit_variable = "LD_AUDIT";
constexpr const char* tunables_variable = "GLIBC_TUNABLES";
constexpr const char* tls_reserve = "glibc.rtld.optional_static_tls";

/// Commands that would suffer from the audit library. Some run programs in containers, where Bowline's folder may not
/// exist: the loader of each process would complain. valgrind takes memory that the loader of an audited process frees
/// at the end for an error.
constexpr std::string_view commands_without_audit[] = {"apptainer", "bwrap",       "ch-run",  "chroot",
                                                       "docker",    "enroot",      "podman",  "sarus",
                                                       "shifter",   "singularity", "valgrind"};

std::string names_of_abis() {
  std::string names;
  for (const Abi& abi : known_abis) names += std::string(abi.name) + ", ";
  return names + "none";
}

/// Throws UsageError unless all MPI libraries that the program needs have one ABI that Bowline has, too.
void check_one_abi(const std::string& program, const std::vector<MpiLibrary>& libraries) {
  const auto unknown = std::ranges::find(libraries, nullptr, &MpiLibrary::abi);
  if (unknown != libraries.end()) {
    std::string known;
    for (const Abi& abi : known_abis) known += fmt::format("{}{}", known.empty() ? "" : ", ", abi.sonames.front());
    throw UsageError(
        "{} was built for {}, an MPI library whose ABI Bowline does not have; it has those of {} and the "
        "libraries that belong to them (BOWLINE_ABI=none starts the program all the same)",
        program, unknown->soname, known);
  }
  const MpiLibrary& first = libraries.front();
  const auto other = std::ranges::find_if(libraries, [&](const MpiLibrary& each) { return each.abi != first.abi; });
  if (other == libraries.end()) return;
  throw UsageError("{} needs MPI libraries of two ABIs: {} needs {} and {} needs {}; build all of them for one MPI",
                   program, first.needed_by.string(), first.soname, other->needed_by.string(), other->soname);
}

std::string folder_of(const Abi& abi, const std::string& program, const fs::path& folder) {
  fs::path own = folder / abi.folder;
  std::error_code error;
  if (fs::is_directory(own, error)) return own.string();
  throw LaunchError("{} was built for {}, but Bowline's libraries with that ABI are not installed: {} is missing",
                    program, abi.in_words, own.string());
}

std::optional<std::string> find(const App& app) {
  try {
    return program_of(app);
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

std::string in_front(const std::string& ours, const std::string& others) {
  return others.empty() ? ours : ours + ":" + others;
}

/// Whether the loader gives a program for the standard ABI a library other than Bowline's, for example because it comes
/// first in LD_LIBRARY_PATH.
bool finds_another_standard_library(const AbiFinding& finding, const fs::path& folder) {
  return std::ranges::any_of(finding.libraries, [&](const MpiLibrary& library) {
    const fs::path ours = folder.parent_path() / library.soname;
    std::error_code error;
    return library.abi != nullptr && library.abi->folder == nullptr && fs::exists(ours, error) &&
           !fs::equivalent(library.found, ours, error);
  });
}

/// Names the audit library, if it is installed, and tells it where the libraries are.
void add_audit(Variables& variables, const LoaderSettings& own, const fs::path& folder) {
  const std::string file = (folder / audit::file).string();
  std::error_code error;
  if (!fs::exists(file, error)) return;
  // A list that begins with the audit library comes from an outer mpiexec.
  variables.emplace_back(audit_variable,
                         (own.audit + ":").starts_with(file + ":") ? own.audit : in_front(file, own.audit));
  variables.emplace_back(audit::folder_variable, folder.string());
  // Where libraries are audited, the loader reserves the memory of threads before it knows how much the libraries of
  // the program need at fixed offsets (initial-exec TLS). Its usual reserve of 512 bytes is too small for some
  // allocators. A program that finds no room does not start.
  if (own.tunables.find(tls_reserve) == std::string::npos)
    variables.emplace_back(tunables_variable, in_front(fmt::format("{}=4096", tls_reserve), own.tunables));
}

}  // namespace

fs::path front_folder() {
  std::error_code error;
  const fs::path here = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (const char* relative : {BOWLINE_BIN_TO_LIB "/bowline", "../lib/bowline"}) {
    const fs::path folder = (here / relative).lexically_normal();
    if (fs::is_directory(folder, error)) return folder;
  }
  return (here / BOWLINE_BIN_TO_LIB "/bowline").lexically_normal();
}

Variables library_variables(const std::string& program, const AbiFinding& finding, const std::string& wanted,
                            const LoaderSettings& own, const fs::path& folder) {
  const bool unseen = finding.libraries.empty() || !finding.interpreter.empty();
  std::vector<std::string> folders;
  if (!wanted.empty()) {
    const Abi* const abi = find_abi(wanted);
    if (abi == nullptr) throw UsageError("BOWLINE_ABI={}: must be one of {}", wanted, names_of_abis());
    if (abi->folder != nullptr) folders.push_back(folder_of(*abi, program, folder));
  } else if (!unseen) {
    check_one_abi(program, finding.libraries);
    if (const Abi& abi = *finding.abi(); abi.folder != nullptr) folders.push_back(folder_of(abi, program, folder));
  } else {
    std::error_code error;
    for (const Abi& abi : known_abis) {
      if (abi.folder != nullptr && fs::is_directory(folder / abi.folder, error))
        folders.push_back((folder / abi.folder).string());
    }
  }
  Variables variables;
  if (!folders.empty())
    variables.emplace_back(path_variable, in_front(fmt::format("{}", fmt::join(folders, ":")), own.library_path));
  // The loader looks into an RPATH before LD_LIBRARY_PATH; a library that is loaded already has precedence over both.
  std::string preloaded;
  for (const MpiLibrary& library : finding.libraries) {
    if (library.by_rpath && folders.size() == 1)
      preloaded += (preloaded.empty() ? "" : ":") + (fs::path(folders.front()) / library.soname).string();
  }
  // What the user preloads stays in front: a tool that defines functions of MPI, or a sanitizer's runtime.
  if (!preloaded.empty())
    variables.emplace_back(preload_variable, own.preload.empty() ? preloaded : own.preload + ":" + preloaded);
  const bool suffers = std::ranges::find(commands_without_audit, fs::path(program).filename().string()) !=
                       std::end(commands_without_audit);
  if ((unseen && !suffers) || finds_another_standard_library(finding, folder)) add_audit(variables, own, folder);
  return variables;
}

AbiFinding finding_for(const App& app, const fs::path& program) {
  std::error_code removed;  // relative names then lead nowhere, and the program is found in PATH or not at all
  const fs::path directory = app.wdir.empty() ? fs::current_path(removed) : fs::path(app.wdir);
  return examine_program(directory / program, value_for(app, path_variable), directory, "");
}

void choose_libraries(Options& options) {
  const fs::path folder = front_folder();
  for (App& app : options.apps) {
    const std::string wanted = value_for(app, "BOWLINE_ABI");
    const std::optional<std::string> program = app.command.empty() ? std::nullopt : find(app);
    if (!program || wanted == "none") continue;
    const LoaderSettings own{.library_path = value_for(app, path_variable),
                             .preload = value_for(app, preload_variable),
                             .audit = value_for(app, audit_variable),
                             .tunables = value_for(app, tunables_variable)};
    const AbiFinding finding = finding_for(app, *program);
    const Variables variables = library_variables(app.command[0], finding, wanted, own, folder);
    app.environment.insert(app.environment.end(), variables.begin(), variables.end());
    app.library_variables = variables.size();
  }
}

}  // namespace bowline::launcher
