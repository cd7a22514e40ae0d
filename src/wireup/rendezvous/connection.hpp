// SPDX-License-Identifier: BSD-3-Clause
// RendezvousConnection: a process's connection to the server of its world, and the thread that listens to it.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.hpp"
#include "base/thread.hpp"
#include "wireup/rendezvous/channel.hpp"
#include "wireup/rendezvous/messages.hpp"

namespace bowline::wireup {

/// Thread-safe.
class RendezvousConnection {
 public:
  /// What a rank has published.
  using Keys = std::map<std::string, std::vector<std::byte>>;
  /// Ends this process; called by the thread of the connection when the server orders it.
  using End = std::function<void(int status, const std::string& text)>;

  /// `server`: how sentences name the place.
  RendezvousConnection(Channel channel, std::string server, End end);
  ~RendezvousConnection();
  RendezvousConnection(const RendezvousConnection&) = delete;
  RendezvousConnection& operator=(const RendezvousConnection&) = delete;

  /// Publishes, and waits until the processes of this node have published. Throws Error.
  void publish(const Keys& keys);
  /// Asks for the keys of a rank, unless they are known or asked for.
  void ask(int rank);
  bool knows(int rank);
  /// Waits for the keys of a rank. Throws Error.
  Keys keys_of(int rank, std::chrono::seconds patience);
  /// Returns when the processes have ended, or when the server is gone.
  void abort(int status, const std::string& text, const std::vector<int>& ranks);
  /// Returns when the server lets this process end. Throws Error if the server is gone, unless the world was over.
  void finalize();
  /// This process goes on after finalize().
  void go_on();

 private:
  void listen() noexcept;
  void hear(MessageReader message);
  /// False: the server is gone. The caller holds no lock.
  bool send(const MessageWriter& message);
  [[noreturn]] void fail() const;

  Channel channel_;
  std::string server_;
  End end_;
  Mutex sending_;  ///< for what leaves through the channel
  Mutex mutex_;    ///< for all that follows
  ConditionVariable changed_;
  bool gone_ = false, done_ = false, finalized_ = false;
  std::optional<std::string> published_;      ///< empty text: this node has published; else why it cannot
  std::map<int, std::optional<Keys>> known_;  ///< by rank; none: it has ended without publishing
  std::map<int, bool> asked_;                 ///< ranks that the server was asked about
  Thread thread_;
};

}  // namespace bowline::wireup
