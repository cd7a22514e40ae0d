// SPDX-License-Identifier: BSD-3-Clause
// See libraries.hpp.
#include "launcher/abi/libraries.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "launcher/job_check.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* path_variable = "LD_LIBRARY_PATH";
constexpr const char* preload_variable = "LD_PRELOAD";

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

/// The value of a variable for a program: from the command line, or else from the environment.
std::string value_for(const App& app, const char* name) {
  for (auto each = app.environment.rbegin(); each != app.environment.rend(); ++each) {
    if (each->first == name) return each->second;
  }
  const char* const value = app.inherit.value_or(true) ? std::getenv(name) : nullptr;
  return value == nullptr ? "" : value;
}

std::optional<std::string> find(const App& app) {
  const char* path = std::getenv("PATH");
  const std::string own = app.path.empty() ? "" : app.path + ":";
  try {
    return find_program(app.command.at(0), app.wdir, own + (path == nullptr ? "/usr/bin:/bin" : path));
  } catch (const UsageError&) {
    return std::nullopt;
  }
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
                            const std::string& library_path, const fs::path& folder, const std::string& preload) {
  std::vector<std::string> folders;
  if (!wanted.empty()) {
    const Abi* const abi = find_abi(wanted);
    if (abi == nullptr) throw UsageError("BOWLINE_ABI={}: must be one of {}", wanted, names_of_abis());
    if (abi->folder != nullptr) folders.push_back(folder_of(*abi, program, folder));
  } else if (!finding.libraries.empty() && finding.interpreter.empty()) {
    check_one_abi(program, finding.libraries);
    if (const Abi& abi = *finding.abi(); abi.folder != nullptr) folders.push_back(folder_of(abi, program, folder));
  } else {
    std::error_code error;
    for (const Abi& abi : known_abis) {
      if (abi.folder != nullptr && fs::is_directory(folder / abi.folder, error))
        folders.push_back((folder / abi.folder).string());
    }
  }
  if (folders.empty()) return {};
  Variables variables;
  const std::string front = fmt::format("{}", fmt::join(folders, ":"));
  variables.emplace_back(path_variable, library_path.empty() ? front : front + ":" + library_path);
  // The loader looks into an RPATH before that; what is loaded already has precedence over both.
  std::string preloaded;
  for (const MpiLibrary& library : finding.libraries) {
    const fs::path file = fs::path(folders.front()) / library.soname;
    if (library.by_rpath && folders.size() == 1) preloaded += (preloaded.empty() ? "" : ":") + file.string();
  }
  if (!preloaded.empty())
    variables.emplace_back(preload_variable, preload.empty() ? preloaded : preloaded + ":" + preload);
  return variables;
}

void choose_libraries(Options& options) {
  const fs::path folder = front_folder();
  for (App& app : options.apps) {
    const std::string wanted = value_for(app, "BOWLINE_ABI");
    const std::optional<std::string> program = app.command.empty() ? std::nullopt : find(app);
    if (!program || wanted == "none") continue;
    const fs::path directory = app.wdir.empty() ? fs::current_path() : fs::path(app.wdir);
    const std::string library_path = value_for(app, path_variable);
    const AbiFinding finding = examine_program(directory / *program, library_path, directory, "");
    const Variables variables =
        library_variables(app.command[0], finding, wanted, library_path, folder, value_for(app, preload_variable));
    app.environment.insert(app.environment.end(), variables.begin(), variables.end());
  }
}

}  // namespace bowline::launcher
