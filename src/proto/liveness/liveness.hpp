// SPDX-License-Identifier: BSD-3-Clause
// Liveness: which processes have ended or cannot be reached any more, and what becomes of the operations that wait for
// them. They fail, so that no call waits forever. The engine checks for such processes rarely: when many flushes in a
// row have sent nothing, and when a waiting call has rested for long.
//
// A process that has left properly (MPI_Finalize) is not lost: operations that wait for it end, and nothing else
// happens. If this process uses sessions, the other process may use its sessions after its MPI_Finalize, until it ends:
// then only operations on communicators of MPI_Init's world end. The engine reports the end of such a process to the
// directory only if a send fails whose failure no call of the program can report.
//
// A connection may also be closed because of an error: the peer cannot be reached although it must be answered, it
// sends messages that cannot be processed, or there is no memory for its messages. Messages are ordered and peers wait
// for answers, so a receiver that has lost a message cannot continue with the next one. The peer is notified if it can
// be reached (broken_off), so that its operations fail as well. Unless MPI_COMM_WORLD has an error handler that
// returns, the job ends, as it does when a peer is lost.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/failure.hpp"
#include "proto/liveness/process_directory.hpp"
#include "proto/matching/match.hpp"
#include "proto/peer.hpp"
#include "proto/services/service.hpp"
#include "proto/watch.hpp"

namespace bowline::proto {

class Liveness final : public Service {
 public:
  explicit Liveness(Engine& engine) noexcept : Service(engine, message_kinds()) {}

  /// Sets the directory by which waiting calls find out whether the processes for which they wait have ended. It must
  /// outlive the engine's use. Without one (nullptr), posted receives and probes do not fail when a peer is lost.
  void use(ProcessDirectory* directory) noexcept { directory_ = directory; }
  ProcessDirectory* directory() const noexcept { return directory_; }
  /// Makes waiting calls check this rank as well, whichever ranks they wait for.
  void keep_watch(int rank) noexcept { watched_rank_ = rank; }
  /// From now on no call of the program can report a failed send; the failure goes to the directory. `false`: calls
  /// can.
  void sends_are_unattended(bool unattended) noexcept { unattended_ = unattended; }

  /// Counts the rests of a call, and checks from time to time whether the peers that must answer are still alive.
  /// `waits`: the call returns only when its operation completes; only then do operations fail that wait for peers
  /// which have left properly.
  void rested(bool slept, bool waits = true) noexcept;
  /// Makes the next rest check: something has arrived that another process has probably sent because of a loss.
  void check_soon() noexcept;
  /// Checks for lost peers and fails the operations that wait for them.
  void check(bool waits) noexcept;

  /// Closes the connection to a rank because of an error. Pending and later operations with that rank fail, and
  /// messages that still arrive from it are dropped. Sends the rank a broken_off message if it can be reached. Handlers
  /// of arriving messages may call this.
  void break_off(int rank, const Failure& why) noexcept;
  /// The kind of messages that need no look whether their sender has failed: eager, until a connection is closed
  /// because of an error; none while somebody listens to messages.
  unsigned unchecked_kind() const noexcept { return unchecked_kind_; }
  /// To be called when somebody begins to listen to messages, or ends it: the shortest way of messages tells nothing.
  void choose_unchecked_kind() noexcept;

  /// Whether the operations that waited for this rank have failed, because it is lost or has left.
  bool has_failed(int rank) const noexcept;
  /// Whether this process has ended without leaving, as far as that is known. Makes no contact.
  bool is_lost(int process) const noexcept;
  /// Whether requests have failed that this peer may still name in its messages.
  bool forgets(int rank) const noexcept;
  /// Whether a message from this peer concerns nothing that still exists here.
  bool ignores(int rank, transport::Header header) const noexcept;

  /// Fails the sends to this peer. Returns whether one of these failures will not be reported by a call of the program.
  bool fail_sends(Peer& peer, const Failure& why) noexcept;
  /// Notes that a process has failed, if its connection shows it now.
  void look_at(int process) noexcept;
  /// Notes that a process has failed, as other processes have found.
  void declare_lost(int process) noexcept;
  /// Whether operations of this lane have failed because of the end of a peer.
  bool any_failed() const noexcept { return any_failed_; }
  /// How many losses this process has found, in all lanes together.
  static unsigned losses() noexcept { return loss_count.load(std::memory_order_acquire); }
  /// Whether a receive from any source might be waiting for a process that has failed, and whose failure the program
  /// has not acknowledged on the communicator. The calls that wait for it then return with an error; the receive goes
  /// on.
  bool pends(const Match& match) const;
  bool pends(const Request& request) const;
  /// The error of such a call.
  Error pending_error(std::uint32_t context, ErrorClass error_class) const;

  /// Fails a watch that is added although the operations of its process have failed.
  void look_at_new(const Watch& watch) noexcept {
    if (any_failed_) [[unlikely]]
      watch_lost(watch);
  }

 private:
  static std::span<const MessageKind> message_kinds() noexcept;
  static unsigned initial_unchecked_kind() noexcept;
  void broken_off_arrived(const Arrival& message);
  void tell_broken_off(Peer& peer, const char* why) noexcept;

  // liveness.cpp: who is lost
  std::vector<Peer*> find_lost(bool waits);
  void fail_lost(bool waits);
  bool nothing_arrives();
  std::vector<int> awaited_ranks();
  std::vector<int> approach_awaited(bool waits);
  bool seeks() const;
  Peer* approach(int rank, bool may_seek, bool awaits_end) noexcept;
  bool is_time_to_approach(int rank);
  void note_ended_sharers();
  void abandon_cut_off();
  void abandon_if_told_lost(Peer& peer);
  bool watches_ended(int rank);
  bool may_return(const Peer& peer) const noexcept;
  bool goes_on(const Peer& peer, std::uint32_t context) const;
  bool is_last(std::uint32_t context, const std::function<bool(const Peer&)>& gone);

  // losses.cpp: which operations fail with a lost peer
  void fail_operations(Peer& peer) noexcept;
  std::string how_it_ended(const Peer& peer) const;
  void fail_receives(Peer& peer, const Failure& why) noexcept;
  void fail_watches(const Peer& peer, const Failure& why) noexcept;
  void fail_overtaken_watches();
  void watch_lost(const Watch& watch) noexcept;
  bool is_doomed(const Peer& peer, const Match& match);

  static inline constinit Atomic<unsigned> loss_count{0};

  /// How often this process has tried in vain to make contact with a rank for which it waits.
  struct Attempts {
    int made = 0;
    std::chrono::steady_clock::time_point latest{};
  };

  ProcessDirectory* directory_ = nullptr;
  std::map<int, Attempts> attempts_;                                ///< by rank
  std::map<int, std::chrono::steady_clock::time_point> told_lost_;  ///< by rank: since when its loss is known
  int watched_rank_ = -1;
  unsigned rests_ = 0;                                  ///< since the last check
  std::chrono::steady_clock::time_point last_check_{};  ///< after a sleep
  unsigned unchecked_kind_ = initial_unchecked_kind();
  bool any_broken_ = false;  ///< a connection was closed because of an error
  bool any_failed_ = false;  ///< whether the operations of any peer have failed
  bool unattended_ = false;  ///< no call of the program can report a failed send any more
};

/// Whether a call that waits has to return because of a loss. It looks only when a loss has been found since it last
/// looked.
class LossCheck {
 public:
  template <class Pends>
  bool operator()(Pends pends) {
    const unsigned losses = Liveness::losses();
    return losses != seen_ && (seen_ = losses, pends());
  }

 private:
  unsigned seen_ = 0;
};

}  // namespace bowline::proto
