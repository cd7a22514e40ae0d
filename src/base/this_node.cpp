// SPDX-License-Identifier: BSD-3-Clause
#include "base/this_node.hpp"

#include <unistd.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <system_error>

#include "base/hash.hpp"

namespace bowline {

std::uint64_t this_node() {
  std::string name;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), name);
  std::array<char, 256> host{};
  name += gethostname(host.data(), host.size() - 1) == 0 ? host.data() : "localhost";
  std::error_code none;  // containers may have the name of their host
  name += std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
  return hash_of(std::as_bytes(std::span(name)));
}

}  // namespace bowline
