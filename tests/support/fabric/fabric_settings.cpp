// SPDX-License-Identifier: BSD-3-Clause
#include "support/fabric/fabric_settings.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "support/fabric/misuse.hpp"

namespace fabric {
namespace {

long number(const char* name, std::string_view text, long least, long most) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
    misuse("the variable %s has a part '%.*s'; allowed are %ld to %ld", name, static_cast<int>(text.size()),
           text.data(), least, most);
  }
  return value;
}

long variable(const char* name, long otherwise, long least, long most) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : number(name, value, least, most);
}

std::vector<std::string> list(const char* name) {
  std::vector<std::string> found;
  const char* value = std::getenv(name);
  for (std::string_view rest = value == nullptr ? "" : value; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    found.emplace_back(one);
    rest.remove_prefix(one.size() == rest.size() ? one.size() : one.size() + 1);
  }
  return found;
}

bool is_ethernet() {
  const char* value = std::getenv("FABRIC_LINK_LAYER");
  const std::string_view layer = value == nullptr ? "ethernet" : value;
  if (layer != "ethernet" && layer != "infiniband") {
    misuse("the variable FABRIC_LINK_LAYER is '%s'; allowed are ethernet and infiniband", value);
  }
  return layer == "ethernet";
}

void read_down(Settings& read) {
  const char* value = std::getenv("FABRIC_DOWN");
  if (value == nullptr) return;
  const std::string_view text = value;
  const std::size_t colon = text.find(':');
  if (colon == text.npos) misuse("the variable FABRIC_DOWN is '%s'; it must be OPERATIONS:MILLISECONDS[:PORT]", value);
  read.down_after = static_cast<int>(number("FABRIC_DOWN", text.substr(0, colon), 0, 1'000'000'000));
  const std::string_view rest = text.substr(colon + 1);
  const std::size_t second = rest.find(':');
  read.down_for = static_cast<int>(number("FABRIC_DOWN", rest.substr(0, second), 1, 1'000'000));
  if (second != rest.npos) read.down_port = rest.substr(second + 1);
}

Settings read_settings() {
  Settings read;
  const char* id = std::getenv("FABRIC_ID");
  read.id = id != nullptr ? id : "user" + std::to_string(geteuid());
  if (read.id.empty() || read.id.size() > 60 || read.id.find('/') != read.id.npos) {
    misuse("the variable FABRIC_ID is '%s'; it must have 1 to 60 characters other than '/'", read.id.c_str());
  }
  read.host = static_cast<int>(variable("FABRIC_HOST", 0, 0, 14));
  read.devices = static_cast<int>(variable("FABRIC_DEVICES", 1, 0, 4));
  read.ports = static_cast<int>(variable("FABRIC_PORTS", 1, 1, 4));
  read.ethernet = is_ethernet();
  read.inactive = list("FABRIC_INACTIVE");
  read.max_inline = static_cast<int>(variable("FABRIC_MAX_INLINE", 128, 0, 256));
  read.locked = static_cast<std::size_t>(variable("FABRIC_LOCKED", 0, 0, 1L << 50));
  read.on_demand = variable("FABRIC_ON_DEMAND", 0, 0, 1) == 1;
  read.deferred = variable("FABRIC_DEFERRED", 0, 0, 1) == 1;
  read.pinned = variable("FABRIC_PINNED", 0, 0, 1) == 1;
  read_down(read);
  return read;
}

}  // namespace

const Settings& settings() {
  static const Settings read = read_settings();
  return read;
}

}  // namespace fabric
