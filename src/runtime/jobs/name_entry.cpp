// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/name_entry.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <limits>
#include <map>
#include <span>

#include "base/error_sentences.hpp"
#include "base/hash.hpp"
#include "node/descriptor.hpp"
#include "node/host.hpp"
#include "node/process.hpp"

namespace bowline::runtime {
namespace {

constexpr std::string_view first_line = "bowline name 1\n";
constexpr std::string_view end_of_file = "\nend\n";
constexpr std::size_t longest_file_name = 200;
constexpr std::size_t kept_of_long_name = 150;
constexpr std::size_t longest_quoted = 100;

bool is_plain(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

bool is_control(char c) noexcept {
  return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
}

/// Writes each byte for which `escaped` holds as a percent sign and two hexadecimal digits.
template <class Condition>
std::string escape(std::string_view text, Condition escaped) {
  std::string result;
  for (const char c : text) {
    if (escaped(c)) {
      result += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

std::string line_of(std::string_view value) {
  return escape(value, [](char c) { return c == '%' || is_control(c); });
}

/// Nothing if the text is not what escape() writes.
std::optional<std::string> unescape(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      result += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    unsigned byte = 0;
    const auto [end, error] = std::from_chars(&text[i + 1], &text[i + 1] + 2, byte, 16);
    if (error != std::errc{} || end != &text[i + 1] + 2) return std::nullopt;
    result += static_cast<char>(byte);
    i += 2;
  }
  return result;
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// The 22nd field of /proc/PID/stat; 0 if /proc does not tell. The second field, a name in parentheses, may contain
/// anything. An emulator of processors shows its program another file at the path of the program's own.
std::uint64_t start_of(pid_t process) {
  const node::Descriptor proc(open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const node::Descriptor file(openat(proc.number(), fmt::format("{}/stat", process).c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 1024> part;
  const ssize_t bytes = file ? read(file.number(), part.data(), part.size()) : 0;
  const std::string_view text(part.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  std::size_t place = text.rfind(')');
  for (int field = 2; field < 22 && place != text.npos; ++field) place = text.find(' ', place + 1);
  return place == text.npos ? 0 : number_in(text.substr(place + 1));
}

/// Whether two processes with one id are different ones.
bool is_other_start(std::uint64_t a, std::uint64_t b) noexcept {
  return a != 0 && b != 0 && a != b;
}

std::uint64_t this_pid_namespace() {
  struct stat found {};
  return stat("/proc/self/ns/pid", &found) == 0 ? static_cast<std::uint64_t>(found.st_ino) : 0;
}

}  // namespace

Publisher Publisher::this_process() {
  std::string boot;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return {.host = node::host_name(),
          .boot = boot,
          .pid_namespace = this_pid_namespace(),
          .process = getpid(),
          .started = start_of(getpid())};
}

bool Publisher::has_ended() const {
  const Publisher here = this_process();
  if (host != here.host || boot != here.boot || pid_namespace != here.pid_namespace) return false;
  if (process == here.process) return is_other_start(started, here.started);
  const node::PeerProcess other(process);  // first: from now on another process with this id is not mistaken for it
  return is_other_start(started, start_of(process)) || !other.alive();
}

std::string Publisher::in_words() const {
  return fmt::format("process {} on host {}", process, host);
}

std::string NameEntry::text() const {
  return fmt::format("{}service {}\nport {}\nhost {}\nboot {}\npid_namespace {}\nprocess {}\nstarted {}{}", first_line,
                     line_of(service), line_of(port), line_of(publisher.host), line_of(publisher.boot),
                     publisher.pid_namespace, publisher.process, publisher.started, end_of_file);
}

NameFile NameFile::parse(std::string_view text) {
  if (first_line.starts_with(text)) return {.kind = Kind::unfinished, .entry = {}};
  if (!text.starts_with(first_line)) return {};
  if (!text.ends_with(end_of_file)) return {.kind = Kind::unfinished, .entry = {}};
  std::map<std::string_view, std::string> values;
  std::size_t place = first_line.size();
  while (place < text.size() - end_of_file.size()) {
    const std::string_view line = text.substr(place, text.find('\n', place) - place);
    const std::size_t space = line.find(' ');
    if (space == line.npos) return {};
    const auto value = unescape(line.substr(space + 1));
    if (!value) return {};
    values[line.substr(0, space)] = *value;
    place += line.size() + 1;
  }
  for (const char* const key : {"service", "port", "host", "boot", "pid_namespace", "process", "started"})
    if (!values.contains(key)) return {};
  const std::uint64_t process = number_in(values["process"]);
  if (process == 0 || process > std::numeric_limits<pid_t>::max()) return {};
  return {.kind = Kind::entry,
          .entry = {.service = values["service"],
                    .port = values["port"],
                    .publisher = {.host = values["host"],
                                  .boot = values["boot"],
                                  .pid_namespace = number_in(values["pid_namespace"]),
                                  .process = static_cast<pid_t>(process),
                                  .started = number_in(values["started"])}}};
}

// No other name contains a plus sign.
std::string file_name_of(std::string_view service) {
  const bool hidden = service.starts_with('.');
  std::string name = escape(service, [](char c) { return !is_plain(c); });
  if (hidden) name.replace(0, 1, "%2e");
  if (name.size() <= longest_file_name) return name;
  const std::uint64_t hash = hash_of(std::as_bytes(std::span(service)));
  return fmt::format("{}+{:016x}", name.substr(0, kept_of_long_name), hash);
}

std::string in_quotes(std::string_view name) {
  std::string text = cut_text(std::string(name), longest_quoted);
  const bool cut = text.size() < name.size();
  std::ranges::replace_if(text, is_control, '?');
  return fmt::format("\"{}{}\"", text, cut ? "..." : "");
}

}  // namespace bowline::runtime
