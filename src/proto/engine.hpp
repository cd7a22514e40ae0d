// SPDX-License-Identifier: BSD-3-Clause
// The protocol engine: point-to-point messages between world ranks, over whatever transports connect them.
//
// One engine per process, used by one thread at a time: its lock is taken by the caller (the entry points), and passed
// on while a call waits. All ranks given here are world ranks, except in Header::source, which is the sender's rank in
// the communicator. File by file: send.cpp and receive.cpp begin operations and handle short messages, rendezvous.cpp
// long ones, engine.cpp makes progress and ends operations.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/lock.hpp"
#include "base/pool.hpp"
#include "base/wait.hpp"
#include "proto/match.hpp"
#include "proto/peer.hpp"
#include "proto/request.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

/// Which receive: the context, and the source and tag, or wildcards.
struct Match {
  std::uint32_t context;
  int source;
  int tag;
};

class Engine final : private transport::Sink {
 public:
  /// Makes the endpoint to a world rank at first contact; may add the device it needs with add_device.
  using Connect = std::function<std::unique_ptr<transport::Endpoint>(int rank)>;

  Engine(int world_size, Connect connect, const WaitPolicy& policy, OwnerLock& lock);
  ~Engine();

  /// Polls this device from now on. It must outlive the engine.
  void add_device(transport::Device& device);

  // ---- operations. Buffers belong to the engine until the operation is done.

  /// Sends and returns when the buffer may be reused.
  void send(int to, const transport::Header& header, const Buffer& buffer);
  /// Begins to send. The request is done already, and shared, if the message could be handed over at once.
  Request& isend(int to, const transport::Header& header, const Buffer& buffer);
  /// Receives one message; throws Error (MPI_ERR_TRUNCATE) if it is longer than the buffer, which then holds its
  /// beginning.
  Status receive(const Match& match, const Buffer& buffer);
  Request& ireceive(const Match& match, const Buffer& buffer);
  /// What a matching receive would get, without receiving it. iprobe says whether there is any.
  Status probe(const Match& match);
  bool iprobe(const Match& match, Status& status);

  // ---- ending

  /// Returns when the request is done.
  void wait(const Request& request) {
    wait_until([&] { return request.done; });
  }
  /// Makes progress until `condition()` holds.
  template <class Condition>
  void wait_until(Condition condition) {
    Waiter waiter(policy_);
    while (!condition()) {
      if (progress() != 0) {
        waiter.progressed();
      } else {
        rest(waiter.next());
      }
    }
  }
  /// Gives the request back: at once if it is done, else as soon as it is.
  void release(Request& request) noexcept;
  /// Moves everything that can move; returns the number of events, 0 if nothing happened.
  unsigned progress();
  /// Waits until nothing that this process has begun to send depends on it any more.
  void drain();

 private:
  // Sink: arriving messages
  void arrived(int peer, const transport::Header& header, std::span<const std::byte> prefix,
               std::span<const std::byte> body) override;

  // receive.cpp
  void eager_arrived(const transport::Header& header, std::span<const std::byte> body);
  bool match_unexpected(ReceiveRequest& receive, MatchQueue& messages);
  bool peek(const Match& match, Status& status);
  void store(ReceiveRequest& receive, const transport::Header& header, std::span<const std::byte> body);

  // send.cpp
  void start_queued(SendRequest& send, const Buffer& buffer);
  bool advance(SendRequest& send);
  bool flush(Peer& peer);
  void flush_waiting();
  void enqueue(SendRequest& send) noexcept;
  void send_control(Peer& peer, const transport::Header& header, std::span<const std::byte> prefix);

  // rendezvous.cpp
  void offer_arrived(int origin, const transport::Header& header, const ReadyToSend& offer);
  void accept_offer(ReceiveRequest& receive, int origin, const transport::Header& header, const ReadyToSend& offer);
  bool fetch(ReceiveRequest& receive, const Peer& peer, const ReadyToSend& offer);
  void clear_to_send_arrived(const ClearToSend& clear);
  void data_arrived(const Data& piece, std::span<const std::byte> body);
  void long_message_received(ReceiveRequest& receive);
  bool announce(SendRequest& send);
  bool stream(SendRequest& send);

  // engine.cpp
  void complete(Request& request) noexcept;
  static void fail(Request& request, const Error& error);
  void finish_receive(ReceiveRequest& receive, Status message);
  void resume_ready();
  void rest(Rest kind);
  MatchQueue& queue(std::uint32_t context) {
    if (context < queues_.size() && queues_[context] != nullptr) [[likely]]
      return *queues_[context];
    return new_queue(context);
  }
  MatchQueue& new_queue(std::uint32_t context);
  void recycle(Request& request) noexcept;

  PeerTable peers_;
  std::vector<transport::Device*> devices_;
  std::vector<transport::Device*> sleepers_;         ///< those of them that a waiting call can sleep on
  std::vector<std::unique_ptr<MatchQueue>> queues_;  ///< by context
  List<Peer> waiting_peers_;                         ///< peers for which something waits for room
  std::vector<std::coroutine_handle<>> ready_;       ///< coroutines whose operation has ended
  std::size_t active_sends_ = 0;                     ///< send requests that are not done
  Pool<SendRequest> send_pool_;
  Pool<ReceiveRequest> receive_pool_;
  Pool<Unexpected> unexpected_pool_;
  Pool<Control> control_pool_;
  const WaitPolicy policy_;
  OwnerLock& lock_;
};

/// The request of every send that was done at once. Its handle may be given to any number of users.
struct CompletedSend final : Request {
  constexpr CompletedSend() noexcept : Request(Role::send, 0) { done = shared = true; }
};
extern constinit CompletedSend the_completed_send;
inline Request& completed_send() noexcept {
  return the_completed_send;
}

}  // namespace bowline::proto
