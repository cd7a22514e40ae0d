// SPDX-License-Identifier: BSD-3-Clause
// See environment.hpp.
#include "launcher/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "launcher/flight/recorder_variable.hpp"

namespace bowline::launcher {
namespace {

void set(std::vector<std::string>& list, const std::string& text) {
  const std::string_view name = std::string_view(text).substr(0, text.find('=') + 1);
  const auto old = std::find_if(list.begin(), list.end(), [&](const std::string& s) { return s.starts_with(name); });
  if (old != list.end())
    *old = text;
  else
    list.push_back(text);
}

}  // namespace

bool tells_of_outer_job(std::string_view variable) {
  if (variable.starts_with("PMIX_")) return !variable.starts_with("PMIX_MCA_");
  return variable.starts_with("BOWLINE_WAIT_BOARD=") || variable.starts_with("BOWLINE_JOB_FOLDER=") ||
         variable.starts_with("BOWLINE_LIBRARY_REPORT=") || variable.starts_with("BOWLINE_KEEP_GOING=") ||
         variable.starts_with("BOWLINE_DEBUGGER_GATE=") || variable.starts_with("PMI_RANK=") ||
         variable.starts_with("PMI_SIZE=") || variable.starts_with("PMI_FD=") || variable.starts_with("PMI_PORT=") ||
         variable.starts_with("PMI_ID=");
}

void forget_outer_job() {
  std::vector<std::string> names;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (tells_of_outer_job(text)) names.emplace_back(text.substr(0, text.find('=')));
  }
  // Of a rank that is an mpiexec itself: its own ranks would write into the folders of the outer job.
  if (std::getenv("PMIX_NAMESPACE") != nullptr) names.insert(names.end(), {"BOWLINE_REPORT", recorder_variable});
  for (const std::string& name : names) unsetenv(name.c_str());
}

std::vector<std::string> rank_environment(bool inherit, const std::vector<std::string>& wireup,
                                          const std::vector<std::pair<std::string, std::string>>& user) {
  std::vector<std::string> list;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (inherit || std::ranges::find(login_variables, text.substr(0, text.find('='))) != std::end(login_variables))
      list.emplace_back(text);
  }
  for (const std::string& text : wireup) set(list, text);
  for (const auto& [name, value] : user) set(list, name + "=" + value);
  return list;
}

std::string value_for(const App& app, const char* name) {
  for (auto each = app.environment.rbegin(); each != app.environment.rend(); ++each) {
    if (each->first == name) return each->second;
  }
  const char* const value = app.inherit.value_or(true) ? std::getenv(name) : nullptr;
  return value == nullptr ? "" : value;
}

}  // namespace bowline::launcher
