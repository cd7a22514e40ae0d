// SPDX-License-Identifier: BSD-3-Clause
// See values.hpp.
#include "launcher/command_line/values.hpp"

#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>

namespace bowline::launcher {
namespace {

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

int to_number(std::string_view option, std::string_view text, std::string_view what, int least, int most) {
  const auto value = whole_number(text);
  if (!value || *value < least || *value > most) {
    throw UsageError("{} {}: {} must be a whole number of at least {} and at most {}", option, text, what, least, most);
  }
  return *value;
}

double to_seconds(std::string_view option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(value > 0) || value > 1e9) {
    throw UsageError("{} {}: must be a number of seconds above 0, and at most 1000000000", option, text);
  }
  return value;
}

std::optional<std::pair<std::string, std::string>> to_variable(std::string_view option, const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (name.empty()) {
    throw UsageError("{0} {1}: the name of the variable is missing; write {0} NAME=VALUE", option, text);
  }
  if (equals != std::string::npos) return std::pair(name, text.substr(equals + 1));
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return std::pair(name, std::string(value));
}

std::vector<int> to_cpus(std::string_view option, std::string_view text, char separator) {
  constexpr int most = 1 << 20;
  std::vector<int> cpus;
  for (const std::string& part : split(text, separator)) {
    const size_t dash = part.find('-');
    const auto first = whole_number(std::string_view(part).substr(0, dash));
    const auto last = dash == std::string::npos ? first : whole_number(std::string_view(part).substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last > most) {
      throw UsageError("{} {}: \"{}\" is neither the number of a CPU nor a range such as 0-3", option, text, part);
    }
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace bowline::launcher
