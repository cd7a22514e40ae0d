// SPDX-License-Identifier: BSD-3-Clause
// Hosts from a list on the command line or from a file, in Open MPI's and in MPICH's form.
#pragma once
#include <string>
#include <vector>

namespace bowline::launcher {

struct Host {
  static constexpr int all_cores = 0;  ///< as many slots as the host has cores

  std::string name;
  int slots = 1;

  bool operator==(const Host&) const = default;
};

/// "a,b:2,c:auto". Throws UsageError that names `option`.
std::vector<Host> parse_hosts(const std::string& option, const std::string& list);

/// One host per line: "a", "a:2", "a slots=2 max_slots=4"; # begins a comment. Throws UsageError that names the file
/// and the line.
std::vector<Host> read_hostfile(const std::string& path);

/// Whether `name` means this machine, which is called `host`: by that name, with or without domain, as localhost, or by
/// the numeric address of an interface. Does not use a name service.
bool is_this_host(const std::string& name, const std::string& host);

}  // namespace bowline::launcher
