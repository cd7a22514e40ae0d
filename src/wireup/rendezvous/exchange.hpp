// SPDX-License-Identifier: BSD-3-Clause
// Exchange: the state and the decisions of a rendezvous server, without sockets: which processes have come, which rank
// each of them gets, what each rank has published, and how the world ends.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "wireup/rendezvous/messages.hpp"
#include "wireup/rendezvous/roll.hpp"

namespace bowline::wireup {

/// Guests are connections, numbered by the caller. Not thread-safe.
class Exchange {
 public:
  using Clock = std::chrono::steady_clock;
  /// Sends a message to a guest, without waiting and without calling back.
  using Send = std::function<void(int guest, const MessageWriter& message)>;

  Exchange(const RendezvousLine& line, std::string version, Send send);

  /// The first message of a guest. False: it may not join, and is no guest any more.
  bool greet(int guest, std::vector<std::byte> hello);
  /// A later message of a guest. Throws Error if it cannot be read.
  void hear(int guest, std::vector<std::byte> message);
  /// The connection of a guest has ended.
  void left(int guest);
  /// Refuses all who have come if they are not complete after this time.
  void give_up(std::chrono::seconds waited);
  /// What is due at this time.
  void tick(Clock::time_point now);
  /// When tick() is to be called next.
  std::optional<Clock::time_point> next_tick() const;

  /// Whether the world has all its processes.
  bool started() const noexcept { return started_; }
  /// Whether all ranks have finished, so that another world may use the place.
  bool over() const noexcept { return over_; }

 private:
  struct Rank {
    int guest;  ///< gone: negative
    int node;
    bool published = false, awaits_node = false, finalized = false;
    std::vector<std::byte> keys;
    std::vector<int> asked_by;  ///< ranks that wait for the keys
  };
  /// An abort: the serving process ends as the last one, because the others would lose the server.
  struct Ending {
    int by;                     ///< a rank
    MessageWriter order;        ///< for those that are to end
    std::vector<int> awaited;   ///< ranks that have been told and have not ended
    bool ends_server = false;   ///< whether the serving process is among those that end
    Clock::time_point until{};  ///< they are not awaited any longer
  };

  void tell_count();
  void start();
  void publish(int rank, std::vector<std::byte> keys);
  void answer_node(int node);
  void answer_keys(int asking, int rank);
  void abort(int rank, MessageReader& message);
  void finish(Ending& ending);
  void check_end();
  Rank& at(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  void tell(int rank, const MessageWriter& message);

  Roll roll_;
  RendezvousLine line_;
  std::string version_;
  Send send_;
  std::vector<Rank> ranks_;
  std::map<int, int> rank_of_;  ///< by guest
  std::vector<Ending> endings_;
  int serving_ = -1;  ///< the rank in whose process the server runs; negative: none known
  bool started_ = false, over_ = false;
};

}  // namespace bowline::wireup
