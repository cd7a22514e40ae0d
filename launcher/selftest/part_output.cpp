// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/selftest/part_output.hpp"

#include <algorithm>
#include <sstream>

namespace bowline::launcher {
namespace {

std::optional<double> find(const std::map<PartOutput::Key, double>& values, const std::string& name,
                           std::size_t bytes) {
  const auto found = values.find({name, bytes});
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

void read_line(std::istringstream line, PartOutput& output) {
  std::string kind, name;
  std::size_t bytes = 0;
  double value = 0;
  line >> kind;
  if (kind == "busy") {
    line >> output.busy;
  } else if (kind == "wrong" || kind == "error") {
    std::string sentence;
    line >> name >> std::ws;
    std::getline(line, sentence);
    std::optional<std::string>& kept = kind == "wrong" ? output.wrong : output.error;
    if (!kept) kept = name + ": " + sentence;
  } else if (kind == "link") {
    Link link;
    if (line >> link.kind >> link.name >> link.rate) output.links.push_back(link);
  } else if (kind == "used") {
    if (line >> name >> value) output.used[name] = value;
  } else if (kind == "time") {
    if (!(line >> name >> bytes >> value)) return;
    output.times[{name, bytes}] = value;
    if (std::ranges::find(output.timed, name) == output.timed.end()) output.timed.push_back(name);
  } else if (kind == "rate") {
    if (line >> name >> bytes >> value) output.rates[{name, bytes}] = value;
  }
}

}  // namespace

std::optional<double> PartOutput::time(const std::string& name, std::size_t bytes) const {
  return find(times, name, bytes);
}

std::optional<double> PartOutput::rate(const std::string& name, std::size_t bytes) const {
  return find(rates, name, bytes);
}

std::optional<double> PartOutput::best_rate(std::size_t bytes) const {
  const auto alone = time("alone", bytes), row = rate("row", bytes);
  if (!alone || !row) return std::nullopt;
  return std::max(static_cast<double>(bytes) / *alone, *row);
}

PartOutput parse_part_output(std::string_view text) {
  PartOutput output;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) read_line(std::istringstream(line), output);
  return output;
}

}  // namespace bowline::launcher
