// SPDX-License-Identifier: BSD-3-Clause
// The folder that the ranks inherit, and the relays of ranks in other network namespaces (src/wireup/relay.hpp).
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace bowline::launcher {

/// Listens at a socket in the job's folder, and starts a relay for each connection. A relay is a child process; it ends
/// with the rank that has called.
class Relays {
 public:
  /// `folder`: the scratch directory. If it is empty, or its file system has no sockets, there are no relays.
  explicit Relays(const std::filesystem::path& folder);
  ~Relays();
  Relays(const Relays&) = delete;
  Relays& operator=(const Relays&) = delete;

  /// The descriptor of the folder, which ranks inherit; -1: none.
  int folder() const { return folder_; }
  /// The variable that tells a rank which descriptor is the folder, as NAME=VALUE.
  const std::string& variable() const { return variable_; }

  /// Readable when admit() would start a relay; -1: never.
  int listener() const { return listener_; }
  /// Starts relays for the ranks that have connected, of whichever job: each rank tells its relay its name.
  /// `environment`: variables (NAME=VALUE) that name the PMIx server. Throws LaunchError.
  void admit(const std::vector<std::string>& environment);

 private:
  int folder_ = -1;
  int listener_ = -1;
  std::string variable_;
};

/// Does the work of a relay if mpiexec was started as a relay, by its name and with a connection as its only argument;
/// otherwise returns none. Returns the exit status.
bool is_relay(int argc, char** argv);
int run_relay(char** argv);

}  // namespace bowline::launcher
