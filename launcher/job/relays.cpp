// SPDX-License-Identifier: BSD-3-Clause
// See relays.hpp.
#include "launcher/job/relays.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "base/job_folder.hpp"
#include "launcher/environment.hpp"
#include "launcher/job/rank_process.hpp"
#include "wireup/relay.hpp"

namespace bowline::launcher {
namespace {

constexpr std::string_view relay_name = "bowline-relay";
constexpr int backlog = 1024;
constexpr int no_rank = -1;

/// Whether the process at the other end belongs to this user, or is root.
bool is_own(int connection) {
  ucred process{};
  socklen_t size = sizeof process;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &process, &size) == 0 &&
         (process.uid == geteuid() || process.uid == 0);
}

}  // namespace

Relays::Relays(const std::filesystem::path& folder) {
  if (folder.empty()) return;
  folder_ = open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  const auto ticket = JobFolderTicket::of(folder_);
  if (!ticket) return;
  variable_ = fmt::format("{}={}", JobFolderTicket::variable, ticket->text());
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  const sockaddr_un address = address_in_folder(folder_, wireup::relay_socket);
  if (listener_ >= 0 && bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      listen(listener_, backlog) == 0)
    return;
  if (listener_ >= 0) close(listener_);
  listener_ = -1;
}

Relays::~Relays() {
  if (folder_ >= 0) close(folder_);
  if (listener_ >= 0) close(listener_);
}

void Relays::admit(const std::vector<std::string>& environment) {
  while (true) {
    const int connection = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return;
    if (is_own(connection)) {
      rlimit files{};
      getrlimit(RLIMIT_NOFILE, &files);
      start_process({.program = "/proc/self/exe",
                     .arguments = {std::string(relay_name), std::to_string(connection)},
                     .environment = rank_environment(true, environment, {}),
                     .wdir = "",
                     .stdin_fd = STDIN_FILENO,
                     .stdout_fd = STDERR_FILENO,
                     .stderr_fd = STDERR_FILENO,
                     .kept_fds = {connection},
                     .cpu_mask = {},
                     .open_files = files,
                     .rank = no_rank});
    }
    close(connection);
  }
}

bool is_relay(int argc, char** argv) {
  return argc == 2 && argv[0] == relay_name;
}

int run_relay(char** argv) {
  const int connection = std::atoi(argv[1]);
  fcntl(connection, F_SETFD, FD_CLOEXEC);
  return wireup::serve_relay(connection);
}

}  // namespace bowline::launcher
