// SPDX-License-Identifier: BSD-3-Clause
// The protocol engine: sends, receives and probes between world ranks, over any transports.
//
// An engine is a lane: it has its own queues, pools, endpoints and lock, and shares nothing with the other engines of
// the process (lanes.hpp). Threading: the caller holds the lane's lock. A call that waits may pass the lock on to
// another thread meanwhile. All ranks here are world ranks, except Header::source and Match::source, which are ranks in
// the communicator.
//
// Files: send.cpp and receive.cpp start operations and handle short messages. protocols/rendezvous.cpp announces and
// completes long messages; each rendezvous protocol has a file of its own. probe.cpp implements probes. flow.cpp bounds
// the memory of unexpected messages. cancel.cpp cancels operations. lost.cpp fails operations that wait for a process
// that has ended. good_bye.cpp announces the end of this process. failure.cpp closes connections after errors.
// checks.cpp validates arriving messages. progress.cpp makes progress and waits. engine.cpp completes operations.
//
// Progress does not throw, because the call that makes progress may be unrelated to the operation that fails. A failure
// is recorded in a request or fails the connection to a peer. Handlers of arriving messages throw Error or
// std::bad_alloc if they cannot process the message; arrived() then closes the connection to the sender (fail_peer).
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "base/lock.hpp"
#include "base/pool.hpp"
#include "base/wait.hpp"
#include "proto/context.hpp"
#include "proto/flow.hpp"
#include "proto/id_table.hpp"
#include "proto/long_wait.hpp"
#include "proto/match.hpp"
#include "proto/peer.hpp"
#include "proto/protocols/protocol.hpp"
#include "proto/request.hpp"
#include "proto/services/service.hpp"
#include "proto/watch.hpp"
#include "proto/ways/ways.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class ProcessDirectory;
class Lanes;
class IovList;

class Engine final : private transport::Sink {
 public:
  /// Connects to a world rank and returns the endpoint; nullptr if the rank has left and cannot be reached any more.
  /// May call add_device() for the device that the endpoint needs.
  using Connect = std::function<std::unique_ptr<transport::Endpoint>(int rank)>;

  /// `ranks`: the number of ranks of this process's job. `lanes`: the engines of this process, including this one; may
  /// be nullptr if there is only one.
  Engine(int ranks, Connect connect, const WaitPolicy& policy, OwnerLock& lock, Lanes* lanes = nullptr);
  ~Engine();

  /// Polls this device from now on. It must outlive the engine.
  void add_device(transport::Device& device);
  /// Raises the number of processes. The new ones belong to another job, which knows this process by the index `self`.
  /// A smaller number changes nothing. Throws std::bad_alloc.
  void grow_to(int processes, int self);
  /// Sets the directory by which waiting calls find out whether the processes for which they wait have ended. It must
  /// outlive the engine's use. Without one (nullptr), posted receives and probes do not fail when a peer is lost.
  void use(ProcessDirectory* directory) noexcept { directory_ = directory; }
  ProcessDirectory* directory() const noexcept { return directory_; }
  /// Makes waiting calls check this rank as well, whichever ranks they wait for.
  void keep_watch(int rank) noexcept { watched_rank_ = rank; }
  OwnerLock& lock() noexcept { return lock_; }
  /// Sets this engine's budget for unexpected messages to an equal share of the process's budget. Call before any
  /// message arrives.
  void share_budget(std::size_t lanes) noexcept;

  // ---- operations. The engine owns the buffers until the operation is done.

  /// Sends and returns when the buffer may be reused.
  void send(int to, transport::Header header, const Buffer& buffer, Mode mode = Mode::standard) {
    Peer& peer = peers_[to];
    if (goes_straight(peer, header, buffer, mode)) [[likely]]
      return count_send();
    send_with_request(peer, header, buffer, mode);
  }
  /// Starts a send. If the transport takes the message at once, the request is done already and is the shared one.
  Request& isend(int to, transport::Header header, const Buffer& buffer, Mode mode = Mode::standard) {
    Peer& peer = peers_[to];
    if (goes_straight(peer, header, buffer, mode)) [[likely]] {
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
  /// Receives one message; throws Error (MPI_ERR_TRUNCATE) if it is longer than the buffer, which then holds its
  /// beginning.
  Status receive(Match match, const Buffer& buffer) {
    ReceiveRequest receive(match.context, match.source, match.tag, buffer);
    return finish(receive);
  }
  Request& ireceive(Match match, const Buffer& buffer) {
    ReceiveRequest& receive = new_receive(match, buffer);
    begin(receive);
    return receive;
  }
  /// The same in a context of which the directory does not know who sends in it: `sender` does.
  Request& ireceive_from(int sender, Match match, const Buffer& buffer) {
    ReceiveRequest& receive = new_receive(match, buffer);
    receive.process = sender;
    begin(receive);
    return receive;
  }

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

  // ---- ending

  /// Closes the connection to a rank because of an error. Pending and later operations with that rank fail, and
  /// messages that still arrive from it are dropped. Sends the rank a broken_off message if it can be reached. Handlers
  /// of arriving messages may call this.
  void fail_peer(int rank, const Failure& why) noexcept;
  /// Processes a message that has arrived from this rank. Throws Error if it cannot; the caller then calls fail_peer().
  void handle(int peer, transport::Header header, std::span<const std::byte> prefix, std::span<const std::byte> body);
  /// Returns when the request is done. `in_words`: of the request.
  void wait(const Request& request, Awaiting::InWords in_words = &request_awaited) {
    if (!watches_.empty() && !lock_.enabled()) look_for(request);
    wait_until([&] { return static_cast<bool>(request.done); }, {in_words, &request});
  }
  /// Makes progress until `condition()` holds. `awaiting`: says so to the launcher when that takes long.
  template <class Condition>
  void wait_until(Condition condition, Awaiting awaiting, Awaited awaited = Awaited::one) {
    Waiter waiter(policy_, awaited);
    while (!condition()) {
      if (progress() != 0) {
        waiter.progressed();
      } else if (const Rest kind = waiter.next(); kind != Rest::sleep) [[likely]] {
        rest(kind);
      } else {
        wait_long(condition, awaiting);
        break;
      }
    }
    if (lock_.enabled()) [[unlikely]]
      wait_ended();
  }
  /// Tries to cancel the request before any of its data have moved. The request completes in either case, sooner or
  /// later.
  void cancel(Request& request);
  /// Recycles the request: at once if it is done or inactive, otherwise when it completes.
  void release(Request& request) noexcept;
  /// Call after the user has seen the completion: makes a persistent request inactive, recycles any other.
  void retire(Request& request) noexcept;
  /// As above, for a receive that is not persistent.
  void retire(ReceiveRequest& receive) noexcept {
    receive.mark = 0;
    receive_pool_.destroy(&receive);
  }
  /// Makes progress: polls the devices, sends waiting messages and resumes coroutines. Returns the number of events, 0
  /// if nothing happened.
  unsigned progress() noexcept;
  /// As progress(), for calls that do not wait, such as MPI_Iprobe: yields after many calls in a row without an event.
  void poll() {
    if (progress() != 0) {
      polls_.progressed();
    } else if (polls_.should_yield(policy_)) {
      rest_long(Rest::yield, false);
    }
  }
  /// Whether progress() would find a message, a coroutine to resume, or a watched word that has reached its value.
  bool anything_ready() noexcept;
  /// Whether messages wait for room in the transport to a peer. No wake-up announces that room.
  bool waits_for_room() const noexcept { return !waiting_peers_.empty(); }
  /// Whether an operation is pending here that completes only if some thread makes progress. O(high-water mark of the
  /// receive pool).
  bool outstanding() const noexcept;
  /// Spins, yields or sleeps. A waiting call does this after a round of progress without events.
  void rest(Rest kind) noexcept {
    if (kind == Rest::spin && !lock_.enabled()) [[likely]]
      return cpu_relax();
    rest_long(kind);
  }
  /// Counts the rests of a call, and checks from time to time whether the peers that owe an answer are still alive.
  /// `waits`: the call returns only when its operation completes; only then do operations fail that wait for peers
  /// which have left properly.
  void rested(bool slept, bool waits = true) noexcept;
  const WaitPolicy& wait_policy() const noexcept { return policy_; }
  /// Waits until all sends of this process have completed and the devices are drained, or until `gives_up`, which is
  /// called repeatedly, returns true. `last`: the program makes no further call that could report a failure of these
  /// sends.
  void drain(const std::function<bool()>& gives_up = {}, bool last = false);
  /// Announces the end of this program or process. The program must neither send nor receive any more, and all its
  /// messages must be handed over. From now on the engine sends good_bye to each peer that asks for it or has asked;
  /// with `to_all` also to every connected peer that has no other way to learn of the end. May be called again.
  void say_good_bye(Farewell farewell, bool to_all) noexcept;
  /// Every other process has ended its program, as this one has: enters that for the connected peers.
  void all_have_left() noexcept;
  /// A session starts after the program's end: its calls can report failed sends.
  void start_again() noexcept { draining_ = false; }
  /// Whether nothing remains to be sent: handed_over() is true and all devices are drained.
  bool flushed() noexcept;
  /// Whether every pending send waits only for its receiver's answer, and no message waits for room in the transport.
  bool handed_over() noexcept;
  /// Calls `action` with every pending send.
  template <class Action>
  void for_each_send(Action action) const {
    send_pool_.each([&](const SendRequest& send) {
      if (send.mark == Request::alive && send.active && !send.done) action(send);
    });
  }
  /// The same with every receive but those of calls that receive and wait (receive()).
  template <class Action>
  void for_each_receive(Action action) const {
    receive_pool_.each([&](const ReceiveRequest& receive) {
      if (receive.mark == Request::alive && receive.active && !receive.done) action(receive);
    });
  }
  /// The same with every watch.
  template <class Action>
  void for_each_watch(Action action) {
    watches_.find([&](const Watch& each) { return action(each), false; });
  }
  /// co_await this to continue in the next round of progress, after all devices have been polled.
  auto next_round() noexcept {
    struct Awaiter {
      Engine& engine;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> waiter) const { engine.ready_.push_back(waiter); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  /// Registers a watch. The round of progress that finds its word at the awaited value resumes the watch's coroutine.
  /// The caller keeps ownership of the watch.
  void watch(Watch& watch) noexcept {
    watches_.push_back(watch);
    if (any_given_up_) [[unlikely]]
      watch_lost(watch);
  }
  /// Wakes the threads of this process that sleep in a wait: a thread outside of the lane has changed a word for which
  /// a watch may wait. Needs no lock.
  void wake_sleepers() noexcept;
  /// Set the sleep notices of all watches before this process sleeps, and clear them when it wakes.
  void put_up_notices() noexcept;
  void take_down_notices() noexcept;
  /// Whether a request or message of the communicator with this index has not been recycled. O(high-water marks of the
  /// pools).
  bool uses(std::uint32_t index) const noexcept;
  /// Deletes the queue of a context that is no longer used, with the messages that no receive has taken. The services
  /// forget what they keep for it.
  void forget(std::uint32_t context) noexcept;

  // ---- for protocols and other parts of the layer

  Peer& peer(int rank) { return peers_[rank]; }
  /// Number of ranks of this process's job.
  int ranks() const noexcept { return ranks_; }
  /// The rank of a process of this job, -1 for others. Messages between processes of a job name lost processes by it.
  int rank_in_job(int process) const noexcept { return process < ranks_ ? process : -1; }
  /// Whether the operations that waited for this rank have failed, because it is lost or has left.
  bool has_given_up(int rank) const noexcept {
    const Peer* const peer = peers_.known(rank);
    return peer != nullptr && peer->given_up && !may_return(*peer);
  }
  /// The queue of a context in which this process has a communicator.
  MatchQueue& queue(std::uint32_t context) {
    const std::size_t slot = slot_of(context);
    if (slot < queues_.size() && queues_[slot] != nullptr && queues_[slot]->context == context) [[likely]]
      return *queues_[slot];
    return own_queue(context);
  }
  /// The queue for a message that has arrived. The communicator of the message may have been freed already, or may not
  /// exist yet. own_queue() distinguishes the two when this process requests the queue of the next communicator with
  /// that index. Throws Error if this process cannot have such a context.
  MatchQueue& queue_of_arrival(int origin, std::uint32_t context) {
    const std::size_t slot = slot_of(context);
    if (slot < queues_.size() && queues_[slot] != nullptr && queues_[slot]->context == context) [[likely]]
      return *queues_[slot];
    return strange_queue(origin, context);
  }
  /// What an arriving message that has changed nothing yet needs memory for. If there is none, the message stays in the
  /// transport, which delivers it again: until then the program may post its receive or free memory. Throws NotYet; if
  /// the shortage lasts too long, std::bad_alloc, which ends the connection.
  template <class Action>
  decltype(auto) with_memory(Action action) {
    try {
      return action();
    } catch (const std::bad_alloc&) {
      put_off_message();
    }
  }
  /// Sends a small message of a protocol. If the transport has no room, a copy of the message waits at the peer; if
  /// there is no memory for the copy, the connection is closed.
  void send_control(Peer& peer, transport::Header header, std::span<const std::byte> prefix,
                    std::span<const std::byte> body = {}) noexcept;
  /// Ends a receive whose announced message is in place or has failed: sends `finished` to the sender and completes the
  /// receive.
  void fetched(ReceiveRequest& receive, Peer& peer, transport::Header header, std::uint64_t send_id) noexcept;
  /// Requests an announced message in pieces, because no access to memory transfers it. `send_id`: as in the offer.
  void request_pieces(ReceiveRequest& receive, Peer& sender, transport::Header header, std::uint64_t send_id) noexcept;
  /// The put into the receiver's memory has ended; `written`: successfully. Sends `placed` to the receiver.
  void put_ended(SendRequest& send, bool written) noexcept;
  void long_message_received(ReceiveRequest& receive) noexcept;
  /// Gives the receive an id, by which this peer may refer to it from now on. Throws std::bad_alloc.
  void expect(ReceiveRequest& receive, Peer& sender);
  /// Invalidates that id.
  void expect_no_more(ReceiveRequest& receive) noexcept;
  /// Sends a part of a message that the receiver expects, at this byte offset in the message. `header` names the kind.
  /// The engine notifies the observer when the part has been sent.
  void send_part(Peer& peer, transport::Header header, const Buffer& part, std::uint64_t receive_id, std::size_t offset,
                 SendObserver& observer);
  /// The services of this engine (services/service.hpp). Add them before any message arrives.
  Services& services() noexcept { return services_; }
  /// The choice of the way of long messages from this node.
  Ways& ways() noexcept { return ways_; }
  /// Throws Error unless this engine can serve this context. `origin`: the sender, for the error message.
  void check_context(int origin, std::uint32_t context) const;
  void complete(Request& request) noexcept;
  /// Records why the operation failed; the first recorded failure remains.
  static void fail(Request& request, const Failure& why) noexcept;
  /// Deregisters the memory of the request if it was registered with this endpoint.
  template <class Keyed>
  static void deregister(Keyed& request, transport::Endpoint& endpoint) noexcept {
    if (request.key == nullptr) return;
    if (!request.key->empty()) endpoint.deregister(*request.key);
    request.key.reset();
  }

 private:
  // Sink: arriving messages
  void arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
               std::span<const std::byte> body) override;
  void broken(int peer, const Failure& why) noexcept override { fail_peer(peer, why); }
  void control_arrived(int peer, transport::Header header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body);
  void dispatch(int peer, transport::Header header, std::span<const std::byte> prefix, std::span<const std::byte> body);

  // Fast paths of sending and receiving. They are inline, so that the arguments of the entry points stay in registers.
  static bool goes_straight(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode) noexcept {
    return !peer.waiting() && buffer.type->contiguous() && peer.eager_copied(buffer.bytes()) &&
           mode == Mode::standard &&
           peer.endpoint->send(header, {}, {buffer.data(), buffer.bytes()}) == transport::Post::done;
  }
  /// Makes progress after a bounded number of sends: a process that only sends must still receive requests to hold back
  /// (flow.hpp).
  void count_send() {
    ++sends_since_progress_;
    if (must_look()) [[unlikely]]
      progress();
  }
  bool must_look() const noexcept {
    constexpr unsigned sends_per_look = 64;
    return sends_since_progress_ >= sends_per_look;
  }
  void begin(ReceiveRequest& receive) {
    MatchQueue& messages = queue(receive.context);
    if (messages.unexpected.empty() || !match_unexpected(receive, messages)) [[likely]]
      messages.posted.post(receive);
  }

  // send.cpp
  void send_with_request(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode);
  Request& isend_with_request(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode);
  void begin(SendRequest& send);
  void start_queued(SendRequest& send) noexcept;
  static bool goes_packed(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode);
  static void locate_data(SendRequest& send) noexcept;
  static void pack_all(SendRequest& send);
  void enqueue(SendRequest& send) noexcept;
  bool advance(SendRequest& send);
  bool push_eager(SendRequest& send);
  bool post_eager(SendRequest& send, const IovList& iov);
  void flush(Peer& peer) noexcept;
  bool advance_or_fail(SendRequest& send) noexcept;
  void queue_control(Peer& peer, transport::Header header, std::span<const std::byte> prefix,
                     std::span<const std::byte> body);
  void flush_waiting() noexcept;

  // receive.cpp
  Status finish(ReceiveRequest& receive);
  void eager_arrived(int origin, transport::Header header, std::span<const std::byte> body);
  void synchronous_arrived(int origin, transport::Header header, std::uint64_t send_id,
                           std::span<const std::byte> body);
  Unexpected& keep(int origin, transport::Header header, std::span<const std::byte> body);
  [[noreturn]] void put_off_message();
  bool match_unexpected(ReceiveRequest& receive, MatchQueue& messages);
  void serve(ReceiveRequest& receive, Unexpected& message) noexcept;
  void store(ReceiveRequest& receive, transport::Header header, std::span<const std::byte> body) noexcept;
  void finish_receive(ReceiveRequest& receive, Status message) noexcept;
  void end(ReceiveRequest& receive) noexcept;
  void matched_synchronous(int origin, transport::Header header, std::uint64_t send_id) noexcept;
  void finished_arrived(int origin, std::uint64_t send_id);
  void failure_arrived(int origin, transport::Header header, const FailureNotice& notice,
                       std::span<const std::byte> text);
  void fail_receive(ReceiveRequest& receive, transport::Header header, const FailureNotice& notice,
                    std::span<const std::byte> text) noexcept;

  // probe.cpp
  Unexpected& await(Match match, Status& status);
  Unexpected* peek(Match match, Status& status);
  Unexpected& take(Unexpected& message) noexcept;

  // rendezvous.cpp
  bool announce(SendRequest& send);
  static void register_memory(SendRequest& send);
  bool has_id(SendRequest& send) noexcept;
  static void await_answer(SendRequest& send, SendRequest::Stage stage) noexcept;
  bool stream(SendRequest& send);
  void end_stream(SendRequest& send) noexcept;
  static std::span<const std::byte> next_piece(SendRequest& send, std::size_t length);
  transport::Post send_piece(SendRequest& send);
  void offer_arrived(int origin, transport::Header header, const ReadyToSend& offer, std::span<const std::byte> key);
  void accept_offer(ReceiveRequest& receive, int origin, transport::Header header, const ReadyToSend& offer,
                    std::span<const std::byte> key) noexcept;
  void clear_to_send_arrived(int origin, const ClearToSend& clear);
  static bool can_put_blocks(const SendRequest& send) noexcept;
  void clear_to_put_arrived(int origin, const ClearToPut& clear, std::span<const std::byte> key);
  void clear_to_share_arrived(int origin, transport::Header header, const ClearToPut& clear);
  void data_arrived(int origin, const Data& piece, std::span<const std::byte> body);
  void placed_arrived(int origin, transport::Header header, const Placed& placed);

  // rendezvous_measured.cpp
  void begin_in(Way way, ReceiveRequest& receive, const RendezvousProtocol::Offered& message);
  void begin_measured(ReceiveRequest& receive, const RendezvousProtocol::Offered& message);
  Way read_part(ReceiveRequest& receive, const RendezvousProtocol::Offered& message, const Ways::Begin& begin);
  void begin_rest(ReceiveRequest& receive) noexcept;

  // flow.cpp
  void add_unexpected(Unexpected& message, MatchQueue& messages) noexcept;
  void discard(Unexpected& message) noexcept;
  void restrain(const Unexpected& message);
  void relax() noexcept;
  void lift_needed_holds() noexcept;
  void lift_holds(Match match);
  void lift(FlowControl::Hold& hold, std::uint64_t messages) noexcept;
  void hold_arrived(Peer& peer, std::uint32_t context);
  void resume_arrived(Peer& peer, std::uint32_t context, std::uint64_t grant);

  // lost.cpp
  void doubt(bool waits) noexcept;
  void look_for_lost(bool waits);
  std::vector<int> awaited_ranks();
  std::vector<int> approach_awaited(bool waits);
  Peer* approach(int rank, bool seeks, bool awaits_end) noexcept;
  template <class Action>
  void for_each_waiting(Action action);
  void note_ended_sharers();
  void fail_overtaken_watches();
  bool watches_ended(int rank);
  bool nothing_arrives();
  void give_up(Peer& peer) noexcept;
  bool fail_sends(Peer& peer, const Failure& why) noexcept;
  void fail_receives(Peer& peer, const Failure& why, bool found_now) noexcept;
  void fail_watches(const Peer& peer, const Failure& why) noexcept;
  void watch_lost(const Watch& watch) noexcept;
  template <class Gone>
  bool is_last(std::uint32_t context, Gone gone);
  bool may_return(const Peer& peer) const noexcept;
  bool goes_on(const Peer& peer, std::uint32_t context) const;

  // good_bye.cpp
  static void ask_for_end(Peer& peer) noexcept;
  void tell_good_bye(Peer& peer) noexcept;
  void tell_end_arrived(int origin);
  void good_bye_arrived(int origin, transport::Header header);

  // failure.cpp
  void tell_broken_off(Peer& peer, const char* why) noexcept;

  // cancel.cpp
  void cancel_arrived(int origin, transport::Header header, std::uint64_t send_id);
  void cancelled_arrived(int origin, std::uint64_t send_id);

  // checks.cpp
  /// Whether source and tag are in their ranges.
  bool is_plausible(transport::Header header) const noexcept {
    return static_cast<std::uint32_t>(header.source) < static_cast<std::uint32_t>(peers_.size()) && header.tag >= 0;
  }
  void check_form(int origin, transport::Header header, std::span<const std::byte> prefix,
                  std::span<const std::byte> body) const;
  void check_rank(int origin, Kind kind, std::int64_t rank) const;
  bool forgets(int origin) const noexcept;
  SendRequest& named_send(int origin, Kind kind, std::uint64_t id) const;
  ReceiveRequest& named_receive(int origin, Kind kind, std::uint64_t id) const;

  /// The rest of a wait whose thread is about to sleep for the first time. Apart, so that a short wait stays short.
  template <class Condition>
  [[gnu::cold, gnu::noinline]] void wait_long(Condition condition, Awaiting awaiting) {
    Waiter waiter = Waiter::asleep(policy_);
    LongWait wait;
    while (!condition()) {
      if (progress() != 0) {
        waiter.progressed();
      } else if (const Rest kind = waiter.next(); kind == Rest::spin) {
        rest(kind);
      } else {
        wait.look(*this, awaiting);
        rest(kind);
      }
    }
  }

  // progress.cpp and engine.cpp
  unsigned progress_rare() noexcept;
  void look_for(const Request& request) noexcept;
  void rest_long(Rest kind, bool waits = true) noexcept;
  void wait_ended() const noexcept;
  void look_at_watches() noexcept;
  void make_ready(Request& request) noexcept;
  void resume_ready() noexcept;
  void resume_unlisted() noexcept;
  MatchQueue& own_queue(std::uint32_t context);
  MatchQueue& strange_queue(int origin, std::uint32_t context);
  MatchQueue& make_strange_queue(std::uint32_t context);
  MatchQueue* known_queue(std::uint32_t context) noexcept;
  void drop(std::unique_ptr<MatchQueue>& queue) noexcept;
  SendRequest& new_send(transport::Header header, Peer& peer, const Buffer& buffer, Mode mode) {
    SendRequest& send = *send_pool_.make(header, peer, buffer, mode);
    send.generation = next_generation();
    return send;
  }
  ReceiveRequest& new_receive(Match match, const Buffer& buffer) {
    ReceiveRequest& receive = *receive_pool_.make(match.context, match.source, match.tag, buffer);
    receive.generation = next_generation();
    return receive;
  }
  std::uint16_t next_generation() noexcept { return generation_++ % Request::generations; }
  void recycle(Request& request) noexcept;

  PeerTable peers_;
  std::vector<transport::Device*> devices_;
  std::vector<std::unique_ptr<MatchQueue>> queues_;  ///< by slot_of(context)
  /// Of contexts whose slot belongs to another context: those of freed communicators, or of communicators that do not
  /// exist here yet.
  std::vector<std::unique_ptr<MatchQueue>> strange_queues_;
  List<Peer> waiting_peers_;  ///< peers with messages that wait for room in the transport
  List<WaitingProbe> probes_;
  List<Watch> watches_;                         ///< words in shared memory for which coroutines wait
  std::vector<std::coroutine_handle<>> ready_;  ///< coroutines whose operation has completed
  std::vector<std::coroutine_handle<>> spare_;  ///< empty; keeps memory for `ready_`
  bool unlisted_ready_ = false;                 ///< whether one could not be added for lack of memory
  /// The kind for which handle() takes the fast path; `no_kind` once a connection was closed because of an error.
  unsigned short_way_ = static_cast<unsigned>(Kind::eager);
  std::size_t active_sends_ = 0;       ///< pending send requests
  std::uint16_t generation_ = 0;       ///< of the next request
  unsigned sends_since_progress_ = 0;  ///< including pieces of long messages
  unsigned fruitless_flushes_ = 0;     ///< since a waiting message was last sent
  unsigned rests_ = 0;                 ///< since the last check for lost peers
  MemoryShortage shortage_;
  bool draining_ = false;  ///< no call of the program can report a failed send any more
  FlowControl flow_;
  Services services_;
  Ways ways_;
  IdTable<SendRequest> named_sends_;        ///< sends that receivers may name by id
  IdTable<ReceiveRequest> named_receives_;  ///< receives that senders may name by id
  Pool<SendRequest> send_pool_;
  Pool<ReceiveRequest> receive_pool_;
  Pool<Unexpected> unexpected_pool_;
  Pool<Control> control_pool_;
  const WaitPolicy policy_;
  Polls polls_;
  OwnerLock& lock_;
  Lanes* lanes_;
  ProcessDirectory* directory_ = nullptr;
  int watched_rank_ = -1;
  const int ranks_;                     ///< of this process's job
  bool any_given_up_ = false;           ///< whether any peer is `given_up`
  Farewell farewell_ = Farewell::none;  ///< of the latest say_good_bye()
  std::set<int> await_end_;             ///< ranks that asked for good_bye before that
};

}  // namespace bowline::proto
