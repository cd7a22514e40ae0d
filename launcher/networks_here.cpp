// SPDX-License-Identifier: BSD-3-Clause
// See networks_here.hpp.
#include "launcher/networks_here.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string_view>
#include <system_error>

#include "launcher/explain.hpp"

namespace bowline::launcher {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view within_a_node[] = {"self", "shm"};

/// What the command prints, without its errors; empty if it fails.
std::string output_of(const std::vector<std::string>& command) {
  std::FILE* const pipe = popen((for_shell(command) + " 2>/dev/null").c_str(), "re");
  if (pipe == nullptr) return {};
  std::string text;
  char buffer[4096];
  for (std::size_t size; (size = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, size);
  return pclose(pipe) == 0 ? text : std::string();
}

/// The lines "  NAME  SENTENCE" below the title; one without a name belongs to the line before.
Rows rows_of(const std::string& text) {
  Rows rows;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string name, sentence;
    if (!line.starts_with("   ")) words >> name;
    std::getline(words >> std::ws, sentence);
    if (std::ranges::find(within_a_node, name) == std::end(within_a_node)) rows.emplace_back(name, sentence);
  }
  return rows;
}

}  // namespace

Rows networks_here(const Rows& variables) {
  std::error_code error;
  const auto info = std::filesystem::read_symlink("/proc/self/exe", error).parent_path() / "bowline-info";
  std::vector<std::string> command = {"env"};
  for (const auto& [name, value] : variables) {
    if (name.starts_with("BOWLINE_") || name.starts_with("UCX_")) command.push_back(name + "=" + value);
  }
  command.insert(command.end(), {info.string(), "--transports"});
  Rows rows = rows_of(output_of(command));
  if (rows.empty()) rows.emplace_back("", "cannot be said: " + info.string() + " --transports does not answer");
  return rows;
}

}  // namespace bowline::launcher
