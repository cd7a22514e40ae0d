// SPDX-License-Identifier: BSD-3-Clause
// See hosts.hpp.
#include "launcher/command_line/hosts.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include "launcher/command_line/values.hpp"

namespace bowline::launcher {
namespace {

constexpr int most_slots = 1 << 20;
// Keys that may follow a host and are ignored here.
constexpr std::string_view other_keys[] = {"max_slots", "max-slots", "slots_max", "user",
                                           "username",  "port",      "ifhn",      "binding"};

int to_slots(std::string_view where, std::string_view text) {
  if (text == "auto" || text == "*") return Host::all_cores;
  return to_number(where, text, "the number of slots", 1, most_slots);
}

/// Parses "a", "a:2" or "a:auto". More than one colon means an IPv6 address.
Host parse_host(std::string_view where, const std::string& text) {
  const size_t colon = text.find(':');
  Host host{.name = text};
  if (colon != std::string::npos && text.find(':', colon + 1) == std::string::npos) {
    host.name = text.substr(0, colon);
    host.slots = to_slots(fmt::format("{} {}:", where, host.name), text.substr(colon + 1));
  }
  if (host.name.empty()) throw UsageError("{} {}: the name of a host is missing", where, text);
  return host;
}

void read_key(std::string_view where, const std::string& word, Host& host) {
  const size_t equals = word.find('=');
  const std::string key = lower_case(std::string_view(word).substr(0, equals));
  if (equals != std::string::npos && (key == "slots" || key == "cpu" || key == "count")) {
    host.slots = to_slots(fmt::format("{}: {}", where, key), word.substr(equals + 1));
  } else if (equals == std::string::npos || std::ranges::find(other_keys, key) == std::end(other_keys)) {
    throw UsageError("{}: \"{}\" is not known; a line is HOST, HOST:SLOTS or HOST slots=SLOTS", where, word);
  }
}

/// Whether one of this machine's interfaces has the numeric address `name`.
bool is_own_address(const std::string& name) {
  in_addr v4{};
  in6_addr v6{};
  const bool is_v4 = inet_pton(AF_INET, name.c_str(), &v4) == 1;
  if (!is_v4 && inet_pton(AF_INET6, name.c_str(), &v6) != 1) return false;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owner(list, freeifaddrs);
  for (const ifaddrs* entry = list; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != (is_v4 ? AF_INET : AF_INET6)) continue;
    const void* address = &reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr;
    if (!is_v4) address = &reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr)->sin6_addr;
    if (memcmp(address, is_v4 ? static_cast<void*>(&v4) : &v6, is_v4 ? sizeof v4 : sizeof v6) == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<Host> parse_hosts(const std::string& option, const std::string& list) {
  std::vector<Host> hosts;
  for (const std::string& entry : split(list, ',')) hosts.push_back(parse_host(option, entry));
  return hosts;
}

std::vector<Host> read_hostfile(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError("--hostfile {}: cannot be read: {}", path, strerror(errno));
  std::vector<Host> hosts;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string where = fmt::format("--hostfile {}, line {}", path, number);
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word)) continue;
    Host host = parse_host(where + ":", word.substr(word.find('@') + 1));  // USER@HOST
    while (words >> word) read_key(where, word, host);
    hosts.push_back(std::move(host));
  }
  if (file.bad()) throw UsageError("--hostfile {}: cannot be read: {}", path, strerror(errno));
  if (hosts.empty()) throw UsageError("--hostfile {}: names no host; write one on each line", path);
  return hosts;
}

bool is_this_host(const std::string& name, const std::string& host) {
  if (name == "localhost" || name == host || is_own_address(name)) return true;
  if (name.find_first_not_of("0123456789.") == std::string::npos) return false;  // an address has no domain
  const auto first_label = [](const std::string& text) { return text.substr(0, text.find('.')); };
  return first_label(name) == first_label(host) &&
         (name.find('.') == std::string::npos || host.find('.') == std::string::npos);
}

}  // namespace bowline::launcher
