// SPDX-License-Identifier: BSD-3-Clause
// The protocol engine: sends, receives and probes between world ranks, over any transports.
//
// An engine is a lane: it has its own queues, pools, endpoints and lock, and shares nothing with the other engines of
// the process (lanes.hpp). Threading: the caller holds the lane's lock. A call that waits may pass the lock on to
// another thread meanwhile. All ranks here are world ranks, except Header::source and Match::source, which are ranks in
// the communicator.
//
// The engine holds its parts together; each has a header of its own. An arriving message goes to the part that has its
// kind (services/service.hpp).
//
// Progress does not throw, because the call that makes progress may be unrelated to the operation that fails. A failure
// is recorded in a request or fails the connection to a peer. Handlers of arriving messages throw Error or
// std::bad_alloc if they cannot process the message; the connection to the sender is then closed
// (Liveness::break_off()).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>

#include "base/lock.hpp"
#include "proto/coroutines.hpp"
#include "proto/liveness/farewells.hpp"
#include "proto/liveness/interruptions.hpp"
#include "proto/liveness/liveness.hpp"
#include "proto/matching/matching.hpp"
#include "proto/memory_shortage.hpp"
#include "proto/peer.hpp"
#include "proto/progress_loop.hpp"
#include "proto/protocols/rendezvous.hpp"
#include "proto/request_store.hpp"
#include "proto/sending/cancelling.hpp"
#include "proto/sending/flow.hpp"
#include "proto/sending/outbox.hpp"
#include "proto/services/service.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Lanes;

class Engine final : private transport::Sink {
 public:
  /// Connects to a world rank and returns the endpoint; nullptr if the rank has left and cannot be reached any more.
  /// May call add_device() for the device that the endpoint needs.
  using Connect = std::function<std::unique_ptr<transport::Endpoint>(int rank)>;

  /// `ranks`: the number of ranks of this process's job. `lanes`: the engines of this process, including this one; may
  /// be nullptr if there is only one.
  Engine(int ranks, Connect connect, const WaitPolicy& policy, OwnerLock& lock, Lanes* lanes = nullptr);
  ~Engine();

  /// Polls this device from now on, until remove_device(). Throws std::bad_alloc.
  void add_device(transport::Device& device);
  /// No connection may use the device any more. Not to be called during progress.
  void remove_device(transport::Device& device) noexcept { loop_.remove(device); }
  /// Raises the number of processes; the new ones belong to another job. A smaller number changes nothing. Throws
  /// std::bad_alloc.
  void grow_to(int processes);
  /// To be called when somebody begins to listen to events, or ends it.
  void listeners_changed() noexcept;
  /// Closes the connection to a process with which no operation is pending. The next one connects again.
  void disconnect(int process) noexcept;

  // ---- operations. The engine owns the buffers until the operation is done.

  /// Sends and returns when the buffer may be reused.
  void send(int to, transport::Header header, const Buffer& buffer, Mode mode = Mode::standard) {
    Peer& peer = peers_[to];
    if (Outbox::goes_straight(peer, header, buffer, mode)) [[likely]]
      return count_send();
    send_with_request(peer, header, buffer, mode);
  }
  /// Starts a send. If the transport takes the message at once, the request is done already and is the shared one.
  Request& isend(int to, transport::Header header, const Buffer& buffer, Mode mode = Mode::standard) {
    Peer& peer = peers_[to];
    if (Outbox::goes_straight(peer, header, buffer, mode)) [[likely]] {
      count_send();
      return completed_request();
    }
    return isend_with_request(peer, header, buffer, mode);
  }
  /// Sends the message if the transport takes it at once. Otherwise does nothing and returns false.
  bool try_send(int to, transport::Header header, const Buffer& buffer);
  /// Sends an error in place of a message that this process cannot provide; the receive that matches `header` fails
  /// with it. It may overtake messages that were sent earlier.
  void send_failure(int to, transport::Header header, const Error& why);
  /// Starts a send without a request; the engine notifies the observer when the send completes.
  void send_observed(int to, transport::Header header, const Buffer& buffer, SendObserver& observer);
  /// Sends a part of a message that the receiver expects, at this byte offset in the message. `header` names the kind.
  /// The engine notifies the observer when the part has been sent.
  void send_part(Peer& peer, transport::Header header, const Buffer& part, std::uint64_t receive_id, std::size_t offset,
                 SendObserver& observer);
  /// Receives one message; throws Error (MPI_ERR_TRUNCATE) if it is longer than the buffer, which then holds its
  /// beginning.
  Status receive(Match match, const Buffer& buffer) {
    ReceiveRequest receive(match.context, match.source, match.tag, buffer);
    matching_.post(receive);
    return finish(receive);
  }
  Request& ireceive(Match match, const Buffer& buffer) {
    ReceiveRequest& receive = requests_.new_receive(match, buffer);
    matching_.post(receive);
    return receive;
  }
  /// Like ireceive(), in a context of which the directory does not know who sends in it: `sender` does.
  Request& ireceive_from(int sender, Match match, const Buffer& buffer);

  /// Persistent operations: created inactive, then started any number of times.
  SendRequest& make_send(int to, transport::Header header, const Buffer& buffer, Mode mode);
  ReceiveRequest& make_receive(Match match, const Buffer& buffer);
  void start(Request& request);

  /// Return the status of the message that a matching receive would take, without receiving it. probe() waits for a
  /// message; iprobe() returns false if there is none.
  Status probe(Match match);
  bool iprobe(Match match, Status& status);
  /// As above, and remove the message from its queue: only receive(message) and ireceive(message) can receive it then.
  /// improbe() returns nullptr if there is none.
  Unexpected& mprobe(Match match);
  Unexpected* improbe(Match match);
  Status receive(Unexpected& message, const Buffer& buffer);
  Request& ireceive(Unexpected& message, const Buffer& buffer);

  void cancel(Request& request) { cancelling_.cancel(request); }

  // ---- ending

  /// Marks the operation of this request as done, and resumes the coroutine or wakes the thread that waits for it.
  void complete(Request& request) noexcept;
  /// Recycles the request: at once if it is done or inactive, otherwise when it completes.
  void release(Request& request) noexcept;
  /// Call after the user has seen the completion: makes a persistent request inactive, recycles any other.
  void retire(Request& request) noexcept;
  /// As above, for a receive that is not persistent.
  void retire(ReceiveRequest& receive) noexcept { requests_.recycle(receive); }

  // ---- progress and waiting (progress_loop.hpp)

  unsigned progress() noexcept { return loop_.progress(); }
  void wait(const Request& request, Awaiting::Describe describe = &request_awaited) { loop_.wait(request, describe); }
  /// Waits for a request of the user. Returns false if its receive goes on (Liveness::pends()).
  bool wait_unless_pending(const Request& request, Awaiting::Describe describe = &request_awaited);
  template <class Condition, class GivesUp = Never>
  void wait_until(Condition condition, Awaiting awaiting, Awaited awaited = Awaited::one, GivesUp gives_up = {}) {
    loop_.wait_until(std::move(condition), awaiting, awaited, std::move(gives_up));
  }
  void drain(const std::function<bool()>& abandons = {}, bool last = false) { loop_.drain(abandons, last); }
  /// Processes a message that has arrived from this rank. Throws Error if it cannot; the caller then closes the
  /// connection.
  void handle(int peer, transport::Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) {
    if (header.kind == liveness_.unchecked_kind() && prefix.empty() && is_plausible(header, peers_.size())) [[likely]]
      return matching_.eager_arrived(peer, header, body);
    handle_other(peer, header, prefix, body);
  }
  /// Registers a watch. The round of progress that finds its word at the awaited value resumes the watch's coroutine.
  /// The caller keeps ownership of the watch.
  void watch(Watch& watch) noexcept {
    coroutines_.add(watch);
    liveness_.look_at_new(watch);
    interruptions_.look_at_new(watch);
  }

  // ---- state

  /// Whether an operation is pending here that completes only if some thread makes progress. O(high-water mark of the
  /// receive pool).
  bool outstanding() const noexcept;
  /// Whether a request or message of the communicator with this index has not been recycled. O(high-water marks of the
  /// pools).
  bool uses(std::uint32_t index) const noexcept;
  /// Forgets a context that is no longer used, with the messages that no receive has taken.
  void forget(std::uint32_t context) noexcept;

  OwnerLock& lock() noexcept { return loop_.lock(); }
  Lanes* lanes() const noexcept { return loop_.lanes(); }
  /// Number of ranks of this process's job.
  int ranks() const noexcept { return ranks_; }
  /// The rank of a process of this job, -1 for others. Messages between processes of a job name lost processes by it.
  int rank_in_job(int process) const noexcept { return process < ranks_ ? process : -1; }
  /// The process with this index, to which this one connects if it must. Throws Error, NotYet or std::bad_alloc.
  Peer& peer(int process) { return peers_[process]; }

  // ---- parts

  PeerTable& peers() noexcept { return peers_; }
  const PeerTable& peers() const noexcept { return peers_; }
  RequestStore& requests() noexcept { return requests_; }
  const RequestStore& requests() const noexcept { return requests_; }
  MemoryShortage& shortage() noexcept { return shortage_; }
  Coroutines& coroutines() noexcept { return coroutines_; }
  Outbox& outbox() noexcept { return outbox_; }
  Services& services() noexcept { return services_; }
  Matching& matching() noexcept { return matching_; }
  Rendezvous& rendezvous() noexcept { return rendezvous_; }
  FlowControl& flow() noexcept { return flow_; }
  Interruptions& interruptions() noexcept { return interruptions_; }
  const Interruptions& interruptions() const noexcept { return interruptions_; }
  Liveness& liveness() noexcept { return liveness_; }
  const Liveness& liveness() const noexcept { return liveness_; }
  Farewells& farewells() noexcept { return farewells_; }
  ProgressLoop& loop() noexcept { return loop_; }

 private:
  template <class>
  friend struct bowline::LayoutOf;
  void arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
               std::span<const std::byte> body) override;
  void broken(int peer, const Failure& why) noexcept override { liveness_.break_off(peer, why); }
  void handle_other(int peer, transport::Header header, std::span<const std::byte> prefix,
                    std::span<const std::byte> body);

  // operations.cpp
  void send_with_request(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode);
  Request& isend_with_request(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode);
  void begin(SendRequest& send);
  Status finish(ReceiveRequest& receive);
  Unexpected* look_for_message(Match match, Status& status);
  void recycle(Request& request) noexcept;
  /// Counts a send, and makes progress after a bounded number of them.
  void count_send() {
    outbox_.count();
    if (outbox_.must_look()) [[unlikely]]
      progress();
  }

  PeerTable peers_;
  RequestStore requests_;
  Coroutines coroutines_{requests_};
  Outbox outbox_{*this};
  Services services_;
  Matching matching_{*this};
  Rendezvous rendezvous_{*this};
  FlowControl flow_{*this};
  Cancelling cancelling_{*this};
  Interruptions interruptions_{*this};
  Liveness liveness_{*this};
  Farewells farewells_{*this};
  MemoryShortage shortage_;
  ProgressLoop loop_;
  const int ranks_;  ///< of this process's job
};

}  // namespace bowline::proto
