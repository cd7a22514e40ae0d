// SPDX-License-Identifier: BSD-3-Clause
#include "api/processes/spawn_hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/parent_port.hpp"

namespace bowline::api {
namespace {

/// Keys, and the options of mpiexec that mean the same.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> placement{{{"host", "host"},
                                                                                   {"hosts", "host"},
                                                                                   {"hostfile", "hostfile"},
                                                                                   {"add-host", "add-host"},
                                                                                   {"add-hostfile", "add-hostfile"},
                                                                                   {"map_by", "map-by"},
                                                                                   {"rank_by", "rank-by"},
                                                                                   {"bind_to", "bind-to"},
                                                                                   {"map-by", "map-by"},
                                                                                   {"rank-by", "rank-by"},
                                                                                   {"bind-to", "bind-to"}}};

[[noreturn]] void refuse(const char* key, const std::string& value, const char* form) {
  throw Error(ErrorClass::info_value, fmt::format("the info key {} is \"{}\": give {}", key, value, form));
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

/// Adds the keys that the file of the key `file` has, one "key = value" a line, unless the program has given them.
void add_keys_of_file(Info& hints) {
  const std::string* const name = hints.find("file");
  if (name == nullptr) return;
  const std::string path = *name;
  std::ifstream file(path);
  if (!file) refuse("file", path, strerror(errno));
  for (std::string line; std::getline(file, line);) {
    line = trimmed(line);
    const std::size_t equals = line.find('=');
    if (line.empty() || line.front() == '#') continue;
    if (equals == std::string::npos) refuse("file", path, "a file with one \"key = value\" in each line");
    const std::string key = trimmed(line.substr(0, equals));
    if (hints.find(key) == nullptr) hints.set(key, trimmed(line.substr(equals + 1)));
  }
}

/// The variables that one launched process tells another must not be overwritten.
bool belongs_to_launcher(std::string_view variable) {
  return variable.starts_with("PMIX_") || variable.starts_with("PMI_") || variable.starts_with("OMPI_COMM_WORLD") ||
         variable == ParentPort::variable || variable == ParentPort::program_variable;
}

/// The key `env`: lines with NAME=VALUE.
void add_environment(wireup::Program& program, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (line.empty() || equals == 0) continue;
    const std::string variable = line.substr(0, equals);
    if (equals == std::string::npos || belongs_to_launcher(variable)) continue;
    program.environment.emplace_back(variable, line.substr(equals + 1));
  }
}

bool is_true(const std::string& value) {
  return value == "true" || value == "1" || value == "yes";
}

template <class Take>
void if_given(const Info& hints, const char* key, const Take& take) {
  if (const std::string* const value = hints.find(key)) take(*value);
}

void place(wireup::Program& program, const Info& hints) {
  for (const auto& [key, option] : placement) {
    if (const std::string* const value = hints.find(key)) program.placement.emplace_back(std::string(option), *value);
  }
  if_given(hints, "npernode", [&](const std::string& number) {
    program.placement.emplace_back("map-by", fmt::format("ppr:{}:node", number));
  });
  if_given(hints, "ppr", [&](const std::string& text) { program.placement.emplace_back("map-by", "ppr:" + text); });
}

int number_in(const std::string& list, std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse("soft", list, "numbers and ranges first:last or first:last:stride, separated by commas");
  return value;
}

}  // namespace

std::vector<int> soft_numbers(const std::string& text, int most) {
  std::set<int> numbers;
  std::istringstream ranges(text);
  for (std::string range; std::getline(ranges, range, ',');) {
    std::vector<int> parts;
    std::istringstream words(range);
    for (std::string word; std::getline(words, word, ':');) parts.push_back(number_in(text, trimmed(word)));
    if (parts.empty() || range.back() == ':' || parts.size() > 3 || (parts.size() == 3 && parts[2] == 0))
      refuse("soft", text, "numbers and ranges first:last or first:last:stride, separated by commas");
    const int first = parts[0], last = parts.size() > 1 ? parts[1] : first, stride = parts.size() > 2 ? parts[2] : 1;
    if (stride > 0) {
      for (long each = first; each <= std::min(last, most); each += stride) numbers.insert(static_cast<int>(each));
    } else {
      for (long each = first; each >= std::max(last, 0); each += stride) numbers.insert(static_cast<int>(each));
    }
  }
  std::erase_if(numbers, [most](int each) { return each < 0 || each > most; });
  return {numbers.begin(), numbers.end()};
}

SpawnRequest SpawnRequest::make(std::string command, std::vector<std::string> arguments, int processes, Info hints) {
  add_keys_of_file(hints);
  SpawnRequest request;
  request.most = processes;
  wireup::Program& program = request.program;
  program.name = std::move(command);
  program.arguments = std::move(arguments);
  program.processes = processes;
  if_given(hints, "wdir", [&](const std::string& value) { program.directory = value; });
  if_given(hints, "path", [&](const std::string& value) { program.path = value; });
  if_given(hints, "env", [&](const std::string& value) { add_environment(program, value); });
  if_given(hints, "mpi_initial_errhandler",
           [&](const std::string& value) { program.environment.emplace_back("BOWLINE_INITIAL_ERRHANDLER", value); });
  if_given(hints, "bowline_outlive", [&](const std::string& value) { program.outlives = is_true(value); });
  if_given(hints, "soft", [&](const std::string& value) {
    request.fewer = soft_numbers(value, processes);
    if (request.fewer.empty()) refuse("soft", value, "a number of processes up to maxprocs");
    program.processes = request.fewer.back();
    request.fewer.pop_back();
  });
  place(program, hints);
  return request;
}

bool SpawnRequest::ask_for_fewer() {
  if (fewer.empty()) return false;
  program.processes = fewer.back();
  fewer.pop_back();
  return true;
}

}  // namespace bowline::api
