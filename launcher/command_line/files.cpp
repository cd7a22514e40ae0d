// SPDX-License-Identifier: BSD-3-Clause
// See files.hpp.
#include "launcher/command_line/files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>

#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

/// Divides a line into words. Sets `quote` to the quote that is still open at the end, or to 0.
std::vector<std::string> cut(std::string_view line, char& quote) {
  std::vector<std::string> words;
  bool in_word = false;
  const auto add = [&](char c) {
    if (!in_word) words.emplace_back();
    in_word = true;
    words.back() += c;
  };
  quote = 0;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      add(line[++i]);
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        add(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      if (!in_word) words.emplace_back();
      in_word = true;  // an empty quoted word is a word, too
    } else if (c == ' ' || c == '\t' || c == '\r') {
      in_word = false;
    } else {
      add(c);
    }
  }
  return words;
}

}  // namespace

std::vector<std::vector<std::string>> read_command_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError("--configfile {}: cannot be read: {}", path, strerror(errno));
  std::vector<std::vector<std::string>> parts;
  std::string whole, line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (whole.empty() && line.find_first_not_of(" \t") == line.find('#') && line.find('#') != std::string::npos)
      continue;
    whole += line;
    if (whole.ends_with('\\')) {
      whole.back() = ' ';
      continue;
    }
    char open = 0;
    std::vector<std::string> words = cut(whole, open);
    if (open != 0) throw UsageError("--configfile {}, line {}: the quote {} is not closed", path, number, open);
    if (!words.empty()) parts.push_back(std::move(words));
    whole.clear();
  }
  if (file.bad()) throw UsageError("--configfile {}: cannot be read: {}", path, strerror(errno));
  if (!whole.empty()) throw UsageError("--configfile {}: the last line is continued by \\, but nothing follows", path);
  if (parts.empty()) throw UsageError("--configfile {}: holds no command; write -n N program on each line", path);
  return parts;
}

}  // namespace bowline::launcher
