// SPDX-License-Identifier: BSD-3-Clause
// PmiChannel: requests to a PMI server, and its answers, over a connected socket.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "wireup/pmi/pmi_line.hpp"

namespace bowline::wireup {

/// Not thread-safe, but for tell().
class PmiChannel {
 public:
  /// Takes over the socket. Programs that this one starts do not inherit it: the server would wait for its end there.
  explicit PmiChannel(int descriptor) noexcept;
  /// Connects to "HOST:PORT". Throws Error.
  explicit PmiChannel(const std::string& address);
  ~PmiChannel() { close(); }
  PmiChannel(const PmiChannel&) = delete;
  PmiChannel& operator=(const PmiChannel&) = delete;

  /// Sends a request, which is a line without its end, and waits for the answer, whose command must be `answer`. Lines
  /// that begin with cmd=set may come before: they tell what the environment tells too. Throws Error (MPI_ERR_OTHER),
  /// but not for an answer that refuses.
  PmiLine ask(const std::string& request, std::string_view answer);
  /// The same; throws Error also if the server refuses.
  PmiLine call(const std::string& request, std::string_view answer);
  /// The next line. Throws Error.
  PmiLine receive();
  /// Sends what has no answer; false if the server is gone.
  bool tell(const std::string& request) const;
  /// Waits until the server says something or closes the connection, but no longer than `patience`.
  void await_reaction(std::chrono::milliseconds patience) const noexcept;
  bool is_open() const noexcept { return descriptor_ >= 0; }
  void close() noexcept;

 private:
  int descriptor_ = -1;
  std::string received_;  ///< what has arrived and is no whole line yet
};

}  // namespace bowline::wireup
