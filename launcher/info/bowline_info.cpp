// SPDX-License-Identifier: BSD-3-Clause
// bowline-info: describes this library, its transports, protocols, collective algorithms and tunables, which functions
// of MPI it implements, and whether this node lets it work well.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "api/entry/entry_points.hpp"
#include "base/error.hpp"
#include "base/other_variables.hpp"
#include "base/tunable.hpp"
#include "launcher/info/abi_report.hpp"
#include "launcher/info/collective_rules.hpp"
#include "launcher/info/doctor.hpp"
#include "launcher/info/info_options.hpp"
#include "launcher/info/protocols.hpp"
#include "launcher/info/transports_report.hpp"
#include "launcher/info/variables.hpp"
#include "launcher/info/window_paths.hpp"
#include "launcher/usage_error.hpp"
#include "runtime/library_version.hpp"
#include "wireup/pmix_library.hpp"

namespace {

using bowline::launcher::Finding;
using bowline::launcher::Wanted;

/// For valgrind and sanitizers; they are there after an installation.
void print_suppressions() {
  std::error_code unreadable;
  const auto bin = std::filesystem::canonical("/proc/self/exe", unreadable).parent_path();
  const auto folder = bin.parent_path() / "share/bowline/docs/suppressions";
  if (!unreadable && std::filesystem::is_directory(folder, unreadable))
    fmt::print("suppressions {} (valgrind.supp, lsan.supp, tsan.supp)\n", folder.string());
}

void print_version() {
  fmt::print("version     {}\n", bowline::runtime::library_version());
  fmt::print("build       {}\n", bowline::runtime::build_description());
  print_suppressions();
}

/// The library through which ranks talk with launchers.
void print_pmix() {
  try {
    fmt::print("pmix        {}\n", bowline::wireup::load_pmix().path());
  } catch (const bowline::Error& error) {
    fmt::print("pmix        none: {}\n", error.what());
  }
}

std::string or_nothing(const std::string& text) {
  return text.empty() ? "nothing" : text;
}

void print_tunables() {
  fmt::print("tunables (environment variable = value in this environment)\n");
  for (const bowline::TunableBase* tunable : bowline::TunableBase::all()) {
    fmt::print("  {} = {}\n      {} (default {}, allowed {})\n", tunable->environment_name(),
               or_nothing(tunable->value_text()), tunable->help(), or_nothing(tunable->default_text()),
               tunable->range_text());
  }
  fmt::print("other variables\n");
  for (const bowline::OtherVariable& variable : bowline::other_variables)
    fmt::print("  {}\n      {}\n", variable.name, variable.help);
}

void print_coverage_summary() {
  size_t functions = 0, functions_done = 0, all_done = 0;
  const auto entries = bowline::api::coverage();
  for (const auto& entry : entries) {
    all_done += entry.implemented ? 1 : 0;
    if (entry.large) continue;
    ++functions;
    functions_done += entry.implemented ? 1 : 0;
  }
  fmt::print("coverage    {} of {} functions, {} of {} entry points with large count\n", functions_done, functions,
             all_done, entries.size());
}

void print_coverage(std::string_view which) {
  if (which == "all" || which == "summary") print_coverage_summary();
  if (which == "summary") return;
  for (const auto& entry : bowline::api::coverage()) {
    if (which == "all")
      fmt::print("  {:<12} {}\n", entry.implemented ? "implemented" : "missing", entry.name);
    else if (entry.implemented == (which == "implemented"))
      fmt::print("{}\n", entry.name);
  }
}

/// Prints the findings, and returns whether ranks can work on this node.
bool print_findings() {
  bool works = true;
  fmt::print("this node\n");
  for (const Finding& finding : bowline::launcher::examine_node()) {
    constexpr const char* words[] = {"good", "slower", "BROKEN"};
    works &= finding.verdict != Finding::Verdict::broken;
    fmt::print("  {:<7} {}: {}\n", words[static_cast<int>(finding.verdict)], finding.what, finding.detail);
  }
  return works;
}

int print(const Wanted& wanted) {
  if (wanted.version) {
    fmt::print("{}\n", bowline::runtime::library_version());
    return 0;
  }
  if (wanted.program) {
    fmt::print("{}", bowline::launcher::abi_report(*wanted.program));
    return 0;
  }
  if (wanted.selftest) return bowline::launcher::run_selftest(wanted.selftest_options);
  const bool nothing_special = !wanted.tunables && !wanted.transports && !wanted.protocols && !wanted.windows &&
                               !wanted.collectives && !wanted.variables && !wanted.doctor && !wanted.coverage;
  if (wanted.all || nothing_special) {
    print_version();
    bowline::launcher::print_transports();
    print_pmix();
  } else if (wanted.transports) {
    bowline::launcher::print_transports();
  }
  if (nothing_special && !wanted.all) print_coverage_summary();
  if (wanted.all || wanted.coverage) print_coverage(wanted.coverage.value_or("all"));
  if (wanted.all || wanted.protocols) bowline::launcher::print_protocols();
  if (wanted.all || wanted.windows) bowline::launcher::print_windows();
  if (wanted.all || wanted.collectives) bowline::launcher::print_collectives(wanted.question);
  if (wanted.all || wanted.tunables) print_tunables();
  if (wanted.all || wanted.variables) bowline::launcher::print_variables(wanted.variables.value_or("text"));
  return (wanted.all || wanted.doctor) && !print_findings() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const Wanted wanted = bowline::launcher::parse_info_options(arguments);
    int status = 0;
    if (wanted.help) {
      fmt::print("{}", *wanted.help);
    } else {
      bowline::tunables::load_environment();
      bowline::tunables::warn_of_unknown_names();
      status = print(wanted);
    }
    if (std::fflush(stdout) != 0) throw std::system_error(errno, std::generic_category());
    return status;
  } catch (const bowline::launcher::UsageError& error) {
    fmt::print(stderr, "bowline-info: {}\n", error.what());
    return bowline::launcher::status_bad_input;
  } catch (const bowline::launcher::LaunchError& error) {
    fmt::print(stderr, "bowline-info: {}\n", error.what());
    return bowline::launcher::status_launch_failed;
  } catch (const bowline::Error& error) {
    fmt::print(stderr, "bowline-info: {}\n", error.what());
    return 2;
  } catch (const std::system_error& error) {  // fmt::print throws it, too
    fmt::print(stderr, "bowline-info: cannot write to standard output: {}\n", error.code().message());
    return 1;
  }
}
