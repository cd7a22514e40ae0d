// SPDX-License-Identifier: BSD-3-Clause
// The folder of a job: a private directory that mpiexec makes and whose descriptor the ranks inherit. Sockets in it are
// reachable from every network namespace, and from every mount namespace in which the rank has its own /proc.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bowline {

/// Tells a rank which of its descriptors is the folder, and where its launcher is.
struct JobFolderTicket {
  static constexpr const char* variable = "BOWLINE_JOB_FOLDER";

  int descriptor = -1;        ///< of a directory, opened with O_PATH
  std::uint64_t device = 0;   ///< st_dev of the directory, and
  std::uint64_t file = 0;     ///< st_ino of the folder, by which ranks recognize it
  std::uint64_t network = 0;  ///< the launcher's network namespace; 0: not known

  /// Describes a descriptor of the launcher, which ranks inherit by the same number. None if the descriptor is no
  /// directory.
  static std::optional<JobFolderTicket> of(int descriptor) noexcept;
  /// The numbers in the order of the members, separated by colons.
  std::string text() const;
  /// Reads a ticket from its text; none if the text has another form.
  static std::optional<JobFolderTicket> parse(std::string_view text) noexcept;
};

/// The ticket in this process's environment, if its descriptor still is that directory. A program may have closed the
/// descriptor.
std::optional<JobFolderTicket> job_folder() noexcept;

/// The network namespace of this process; 0 if /proc does not tell.
std::uint64_t network_namespace() noexcept;

/// The address of a socket in a folder. `descriptor`: of the folder; `name`: the socket's name, at most 64 characters.
sockaddr_un address_in_folder(int descriptor, std::string_view name) noexcept;

}  // namespace bowline
