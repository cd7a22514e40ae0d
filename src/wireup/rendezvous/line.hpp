// SPDX-License-Identifier: BSD-3-Clause
// The line that makes processes which nobody has launched one world: where they meet, what proves that they belong
// together, and how many they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bowline::wireup {

struct RendezvousLine {
  /// The environment variable that holds the line.
  static constexpr const char* variable = "BOWLINE_RENDEZVOUS";
  static constexpr std::size_t shortest_secret = 16, longest_secret = 64;

  std::string host;  ///< a name or an address of the host on which one of the processes serves
  std::uint16_t port = 0;
  std::string secret;
  int size = 1;             ///< the number of processes
  std::optional<int> rank;  ///< of this process, if it wants a certain one

  /// Reads "HOST:PORT/SECRET,SIZE[,RANK]"; an IPv6 address stands in brackets. Throws Error (MPI_ERR_ARG), whose
  /// sentence does not contain the secret and begins with `name`, for example that of the variable.
  static RendezvousLine read(std::string_view text, std::string_view name = variable);

  /// Where the processes meet: "HOST:PORT".
  std::string place() const;
};

}  // namespace bowline::wireup
