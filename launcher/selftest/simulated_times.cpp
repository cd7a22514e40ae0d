// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/selftest/simulated_times.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "launcher/selftest/rank_starter.hpp"
#include "launcher/selftest/timed_command.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

constexpr int calls_in_row = 32;  ///< as selftest/ranks/collectives.cpp times them
constexpr std::size_t long_block = 1 << 20;

/// Latency and work per message are half each of what a short message takes; a byte costs what one of
/// long messages does.
std::string costs(const char* level, const PartOutput& messages, bool by_link) {
  const double nanoseconds = messages.time("alone", 8).value_or(1) * 1e3;
  const double byte = 1e3 / std::max(messages.best_rate(long_block).value_or(1e3), 1e-3);
  const double link = by_link ? byte : 0, copy = by_link ? 0 : byte;
  return fmt::format(R"("{}": {{"latency": {:.3f}, "send": {:.3f}, "receive": {:.3f}, )", level, nanoseconds / 2,
                     nanoseconds / 4, nanoseconds / 4) +
         fmt::format(R"("byte": {:.6f}, "copy_in": {:.6f}, "copy_out": {:.6f}}})", link, copy, copy);
}

/// A file that is there as long as this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    const char* const folder = std::getenv("TMPDIR");
    name_ = fmt::format("{}/bowline-selftest-XXXXXX", folder != nullptr && *folder != '\0' ? folder : "/tmp");
    const int file = mkstemp(name_.data());
    if (file < 0) return;
    close(file);
    there_ = static_cast<bool>(std::ofstream(name_) << text);
  }
  ~TemporaryFile() { unlink(name_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  explicit operator bool() const { return there_; }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  bool there_ = false;
};

/// The seventh value of the last line of bowline-sim --csv: time_us.
std::optional<double> time_of_csv(const std::string& text) {
  const std::string lines = text.substr(0, text.find_last_not_of('\n') + 1);
  std::istringstream last(lines.substr(lines.find_last_of('\n') + 1));
  std::string value;
  for (int column = 0; column < 7; ++column)
    if (!std::getline(last, value, ',')) return std::nullopt;
  const double time = std::strtod(value.c_str(), nullptr);
  return time > 0 ? std::optional(time) : std::nullopt;
}

}  // namespace

std::string machine_description(const SimulatedMachine& machine) {
  std::string levels;
  if (machine.on_node != nullptr)
    for (const char* level : {"cache", "socket", "node"}) levels += costs(level, *machine.on_node, false) + ",\n";
  if (machine.between != nullptr)
    for (const char* level : {"switch", "group", "system"}) levels += costs(level, *machine.between, true) + ",\n";
  return fmt::format("{{{}\"cores_per_node\": {}}}\n", levels, machine.cores_per_node);
}

std::optional<double> simulated_time(const SimulatedMachine& machine, const std::string& collective, std::size_t bytes,
                                     double seconds) {
  const TemporaryFile description(machine_description(machine));
  if (!description || seconds <= 0) return std::nullopt;
  try {
    const CommandEnd end =
        run_command({beside({"bowline-sim"}), "--op", collective, "--bytes", std::to_string(bytes), "--nodes",
                     std::to_string(machine.nodes), "--ppn", std::to_string(machine.ranks_per_node), "--calls",
                     std::to_string(calls_in_row), "--machine", description.name(), "--csv", "--quiet"},
                    {}, seconds);
    return end.status == 0 && !end.timed_out ? time_of_csv(end.output) : std::nullopt;
  } catch (const LaunchError&) {
    return std::nullopt;  // not installed: nothing is known
  }
}

}  // namespace bowline::launcher
