// SPDX-License-Identifier: BSD-3-Clause
// The protocol engine: point-to-point messages between world ranks, over whatever transports connect them.
//
// An engine is a lane: it has its own queues, pools, endpoints and lock, and shares nothing with other engines of the
// process (lanes.hpp). Used by one thread at a time: its lock is taken by the caller, and passed on while a call waits.
// All ranks given here are world ranks, except in Header::source and Match::source, which are ranks in the
// communicator.
//
// File by file: send.cpp and receive.cpp begin operations and handle short messages, rendezvous.cpp announces and
// finishes long ones, flow.cpp bounds what unexpected messages cost, cancel.cpp takes operations back, lost.cpp ends
// what waits for a process that has ended, good_bye.cpp tells others of this one's end, failure.cpp breaks connections
// off, checks.cpp looks at what arrives, progress.cpp moves everything and waits, engine.cpp ends operations. The
// protocols for long messages have files of their own.
//
// Progress throws nothing: the call that makes it may have nothing to do with what fails. That is a request, or the
// connection to a peer. Handlers of arriving messages throw Error (or std::bad_alloc) where the message cannot be
// dealt with; arrived() then breaks the connection to its sender off (fail_peer).
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
#include "proto/match.hpp"
#include "proto/peer.hpp"
#include "proto/protocols/protocol.hpp"
#include "proto/request.hpp"
#include "proto/services/service.hpp"
#include "proto/watch.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class ProcessDirectory;
class Lanes;
class IovList;

class Engine final : private transport::Sink {
 public:
  /// Makes the endpoint to a world rank at first contact; may add the device it needs with add_device.
  using Connect = std::function<std::unique_ptr<transport::Endpoint>(int rank)>;

  /// `lanes`: the other engines of this process; nullptr if there are none.
  Engine(int world_size, Connect connect, const WaitPolicy& policy, OwnerLock& lock, Lanes* lanes = nullptr);
  ~Engine();

  /// Polls this device from now on. It must outlive the engine.
  void add_device(transport::Device& device);
  /// Asked by waiting calls whether those that they wait for have ended. It must outlive the engine's use; nullptr:
  /// only sends fail then.
  void use(ProcessDirectory* directory) noexcept { directory_ = directory; }
  /// Waiting calls look after this rank, too, whoever they wait for.
  void keep_watch(int rank) noexcept { watched_rank_ = rank; }
  OwnerLock& lock() noexcept { return lock_; }
  /// Takes an equal share of the process's budget for unexpected messages. Before any message.
  void share_budget(std::size_t lanes) noexcept;

  // ---- operations. Buffers belong to the engine until the operation is done.

  /// Sends and returns when the buffer may be reused.
  void send(int to, transport::Header header, const Buffer& buffer, Mode mode = Mode::standard) {
    Peer& peer = peers_[to];
    if (goes_straight(peer, header, buffer, mode)) [[likely]]
      return count_send();
    send_with_request(peer, header, buffer, mode);
  }
  /// Begins to send. The request is done already, and shared, if the message could be handed over at once.
  Request& isend(int to, transport::Header header, const Buffer& buffer, Mode mode = Mode::standard) {
    Peer& peer = peers_[to];
    if (goes_straight(peer, header, buffer, mode)) [[likely]] {
      count_send();
      return completed_request();
    }
    return isend_with_request(peer, header, buffer, mode);
  }
  /// Sends the message if that can be done at once; false, and nothing happened, if it cannot.
  bool try_send(int to, transport::Header header, const Buffer& buffer);
  /// Instead of the message that this process owes: it cannot give it, and the receive that it is for fails with this
  /// error. It may overtake messages that were sent before.
  void send_failure(int to, transport::Header header, const Error& why);
  /// Begins a send without a request: the observer hears of its end.
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

  /// Persistent operations: made idle, then started any number of times.
  SendRequest& make_send(int to, transport::Header header, const Buffer& buffer, Mode mode);
  ReceiveRequest& make_receive(Match match, const Buffer& buffer);
  void start(Request& request);

  /// What a matching receive would get, without receiving it. iprobe says whether there is any.
  Status probe(Match match);
  bool iprobe(Match match, Status& status);
  /// The same, and takes the message out: only receive(message) gets it. improbe returns nullptr if there is none.
  Unexpected& mprobe(Match match);
  Unexpected* improbe(Match match);
  Status receive(Unexpected& message, const Buffer& buffer);
  Request& ireceive(Unexpected& message, const Buffer& buffer);

  // ---- ending

  /// Breaks the connection to a rank off: what waits for it fails, and so does all that is begun with it later. Nothing
  /// of what it still sends is heard, and it is told so if it can be reached. May be called by handlers of arriving
  /// messages.
  void fail_peer(int rank, const Failure& why) noexcept;
  /// Deals with a message that has arrived from this rank. Throws Error if it cannot be dealt with; whoever catches it
  /// breaks the connection off.
  void handle(int peer, transport::Header header, std::span<const std::byte> prefix, std::span<const std::byte> body);
  /// Returns when the request is done.
  void wait(const Request& request) {
    if (!watches_.empty() && !lock_.enabled()) look_for(request);
    wait_until([&] { return static_cast<bool>(request.done); });
  }
  /// Makes progress until `condition()` holds.
  template <class Condition>
  void wait_until(Condition condition, Awaited awaited = Awaited::one) {
    Waiter waiter(policy_, awaited);
    while (!condition()) {
      if (progress() != 0) {
        waiter.progressed();
      } else {
        rest(waiter.next());
      }
    }
    if (lock_.enabled()) [[unlikely]]
      wait_ended();
  }
  /// Tries to end the request before it has moved anything; it is done afterwards, sooner or later, in either case.
  void cancel(Request& request);
  /// Gives the request back: at once if it is done or idle, else as soon as it is done.
  void release(Request& request) noexcept;
  /// The user has seen the end: a persistent request becomes idle, any other is given back.
  void retire(Request& request) noexcept;
  /// The same for a receive that is not persistent.
  void retire(ReceiveRequest& receive) noexcept {
    receive.mark = 0;
    receive_pool_.destroy(&receive);
  }
  /// Moves everything that can move; returns the number of events, 0 if nothing happened.
  unsigned progress() noexcept;
  /// The same for a call that does not wait, such as MPI_Iprobe: yields if many were fruitless in a row.
  void poll() {
    if (progress() != 0) {
      polls_.progressed();
    } else if (polls_.should_yield(policy_)) {
      rest_long(Rest::yield, false);
    }
  }
  /// Whether a message waits to be polled.
  bool anything_ready() noexcept;
  /// Whether something waits for room at a peer, which nobody signals.
  bool waits_for_room() const noexcept { return !waiting_peers_.empty(); }
  /// Whether an operation has begun here that ends only if somebody makes progress. Walks all receives that there ever
  /// were at once.
  bool outstanding() const noexcept;
  /// What a waiting call does between two attempts without success.
  void rest(Rest kind) noexcept {
    if (kind == Rest::spin && !lock_.enabled()) [[likely]]
      return cpu_relax();
    rest_long(kind);
  }
  /// Notes that a call has rested, and asks now and then whether the peers that owe an answer still live. `waits`: it
  /// does not return before something has come; what waits for peers that have left as they should fails then only.
  void rested(bool slept, bool waits = true) noexcept;
  const WaitPolicy& wait_policy() const noexcept { return policy_; }
  /// Waits until nothing that this process has begun to send depends on it any more, or until `gives_up` says so, which
  /// is asked again and again. `last`: no call of the program will wait for those sends, and see that they have failed.
  void drain(const std::function<bool()>& gives_up = {}, bool last = false);
  /// The caller's program neither sends nor receives any more, and all that it sent is handed over. From now on the
  /// engine tells each peer that asks for it; `to_all`: also every peer in contact that has no other way to know. May
  /// be called again.
  void say_good_bye(bool to_all) noexcept;
  /// Whether all that can leave has left this process for good.
  bool flushed() noexcept;
  /// Whether every send that has not ended waits for its receiver's answer only, and nothing waits for room at a peer.
  bool handed_over() noexcept;
  /// Calls `action` with every send that has begun and has not ended.
  template <class Action>
  void for_each_send(Action action) const {
    send_pool_.each([&](const SendRequest& send) {
      if (send.mark == Request::alive && send.active && !send.done) action(send);
    });
  }
  /// co_await it to go on in the next round of progress, after all devices have been polled.
  auto next_round() noexcept {
    struct Awaiter {
      Engine& engine;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> waiter) const { engine.ready_.push_back(waiter); }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }
  /// Resumes the watch's coroutine in the round of progress that finds its word far enough. It stays the caller's.
  void watch(Watch& watch) noexcept {
    watches_.push_back(watch);
    if (any_given_up_) [[unlikely]]
      watch_lost(watch);
  }
  /// Says beside all words that are watched that this process is about to sleep, or that it does not any more.
  void put_up_notices() noexcept;
  void take_down_notices() noexcept;
  /// Whether an operation of the communicator with this index has not been given back. Walks all that there ever were
  /// at once.
  bool uses(std::uint32_t index) const noexcept;
  /// Forgets a context that will not be used any more, with the messages that nobody asked for.
  void forget(std::uint32_t context) noexcept;

  // ---- for protocols and other parts of the layer

  Peer& peer(int rank) { return peers_[rank]; }
  /// Whether the rank has been found to be lost, and what waited for it has failed.
  bool has_given_up(int rank) const noexcept {
    const Peer* const peer = peers_.known(rank);
    return peer != nullptr && peer->given_up;
  }
  /// The queue of a context in which this process has a communicator.
  MatchQueue& queue(std::uint32_t context) {
    const std::size_t slot = slot_of(context);
    if (slot < queues_.size() && queues_[slot] != nullptr && queues_[slot]->context == context) [[likely]]
      return *queues_[slot];
    return own_queue(context);
  }
  /// The queue in which a message belongs that has arrived. Its communicator may have been freed already, or not have
  /// been made yet: that shows when this process asks for the queue of the next one with that index. Throws Error if
  /// there cannot be such a context here.
  MatchQueue& queue_of_arrival(int origin, std::uint32_t context) {
    const std::size_t slot = slot_of(context);
    if (slot < queues_.size() && queues_[slot] != nullptr && queues_[slot]->context == context) [[likely]]
      return *queues_[slot];
    return strange_queue(origin, context);
  }
  /// One that finds neither room nor memory to wait in breaks the connection off.
  void send_control(Peer& peer, transport::Header header, std::span<const std::byte> prefix,
                    std::span<const std::byte> body = {}) noexcept;
  /// The announced message is where it belongs (or has failed): tells the sender and ends the receive.
  void fetched(ReceiveRequest& receive, Peer& peer, transport::Header header, std::uint64_t send_id) noexcept;
  /// The write to the receiver's memory is over: tells the receiver.
  void put_ended(SendRequest& send, bool written) noexcept;
  void long_message_received(ReceiveRequest& receive) noexcept;
  /// The receive waits for data from this peer, which may speak of it by its id from now on. Throws std::bad_alloc.
  void expect(ReceiveRequest& receive, Peer& sender);
  /// It does not any more.
  void expect_no_more(ReceiveRequest& receive) noexcept;
  /// Sends a part of a message that the receiver waits for, to its place in the message. `header` names the kind.
  void send_part(Peer& peer, transport::Header header, const Buffer& part, std::uint64_t receive_id, std::size_t offset,
                 SendObserver& observer);
  /// The parts of the library that have messages of their own; they are added before any message comes.
  Services& services() noexcept { return services_; }
  /// Throws Error unless a message from this rank may be in this context.
  void check_context(int origin, std::uint32_t context) const;
  void complete(Request& request) noexcept;
  /// Notes why the operation failed; of several reasons the first.
  static void fail(Request& request, const Failure& why) noexcept;
  /// The endpoint's key for the request's memory, if it has been asked for one, is not needed any more.
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

  // Short paths of sending and receiving, inline: what they are given by the entry points stays in registers.
  static bool goes_straight(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode) noexcept {
    return !peer.waiting() && buffer.type->contiguous() && peer.eager_copied(buffer.bytes()) &&
           mode == Mode::standard &&
           peer.endpoint->send(header, {}, {buffer.data(), buffer.bytes()}) == transport::Post::done;
  }
  /// A process that only sends must look now and then whether a receiver wants it to hold back (flow.hpp).
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
  void clear_to_put_arrived(int origin, const ClearToPut& clear, std::span<const std::byte> key);
  void data_arrived(int origin, const Data& piece, std::span<const std::byte> body);
  void placed_arrived(int origin, transport::Header header, const Placed& placed);

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
  void seek(int rank);
  void where_is_arrived(int asker, Sought sought);
  bool tell_where(int asker, int rank);
  void address_arrived(int informant, Sought sought, std::span<const std::byte> address);
  template <class Action>
  void for_each_waiting(Action action);
  void note_ended_sharers();
  bool watches_ended(int rank);
  bool nothing_arrives();
  void give_up(Peer& peer) noexcept;
  bool fail_sends(Peer& peer, const Failure& why) noexcept;
  void fail_receives(Peer& peer, const Failure& why, bool found_now) noexcept;
  void fail_watches(const Peer& peer, const Failure& why) noexcept;
  void watch_lost(const Watch& watch) noexcept;
  template <class Gone>
  bool is_last(std::uint32_t context, Gone gone);

  // good_bye.cpp
  static void ask_for_end(Peer& peer) noexcept;
  void tell_good_bye(Peer& peer) noexcept;
  void tell_end_arrived(int origin);
  void good_bye_arrived(int origin);

  // failure.cpp
  void tell_broken_off(Peer& peer, const char* why) noexcept;

  // cancel.cpp
  void cancel_arrived(int origin, transport::Header header, std::uint64_t send_id);
  void cancelled_arrived(int origin, std::uint64_t send_id);

  // checks.cpp
  /// Whether a message may have this envelope.
  bool is_plausible(transport::Header header) const noexcept {
    return static_cast<std::uint32_t>(header.source) < static_cast<std::uint32_t>(peers_.size()) && header.tag >= 0;
  }
  void check_form(int origin, transport::Header header, std::span<const std::byte> prefix,
                  std::span<const std::byte> body) const;
  void check_rank(int origin, Kind kind, std::int64_t rank) const;
  SendRequest& named_send(int origin, Kind kind, std::uint64_t id) const;
  ReceiveRequest& named_receive(int origin, Kind kind, std::uint64_t id) const;

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
  std::vector<std::unique_ptr<MatchQueue>> queues_;  ///< by slot of context
  /// Of messages in contexts whose slot is another's: what is left of freed communicators, or comes before new ones.
  std::vector<std::unique_ptr<MatchQueue>> strange_queues_;
  List<Peer> waiting_peers_;  ///< peers for which something waits for room
  List<WaitingProbe> probes_;
  List<Watch> watches_;                         ///< words in shared memory that coroutines wait for
  std::vector<std::coroutine_handle<>> ready_;  ///< coroutines whose operation has ended
  std::vector<std::coroutine_handle<>> spare_;  ///< empty
  bool unlisted_ready_ = false;                 ///< whether there was no memory to note one of them
  /// Of messages that go the short way when they arrive; `no_kind` once a connection was broken off.
  unsigned short_way_ = static_cast<unsigned>(Kind::eager);
  std::size_t active_sends_ = 0;       ///< send requests that have begun and are not done
  std::uint16_t generation_ = 0;       ///< of the next request
  unsigned sends_since_progress_ = 0;  ///< and pieces of long ones
  unsigned fruitless_flushes_ = 0;     ///< since something waiting for room has moved
  unsigned rests_ = 0;                 ///< since the peers were doubted
  bool draining_ = false;              ///< no call of the program will wait for sends any more
  FlowControl flow_;
  Services services_;
  IdTable<SendRequest> named_sends_;        ///< of which their receivers may speak
  IdTable<ReceiveRequest> named_receives_;  ///< of which their senders may
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
  std::vector<std::pair<int, int>> askers_;  ///< a rank whose address is sought, and the rank that asked
  bool any_given_up_ = false;                ///< whether a peer was
  bool silent_ = false;                      ///< whether this process has said good-bye
  std::set<int> await_end_;                  ///< the ranks that have asked for that before
};

}  // namespace bowline::proto
