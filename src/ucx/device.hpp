// SPDX-License-Identifier: BSD-3-Clause
// The UCX transport of one lane: a worker, the endpoints of its peers, and what UCX has not finished yet.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "transport/transport.hpp"
#include "ucx/context.hpp"
#include "ucx/library.hpp"

namespace bowline::ucx {

class UcxEndpoint;

/// What stands before a message on the wire. The protocol's prefix follows it. Short messages are all in UCX's data,
/// without a header of UCX, which costs least. Else UCX's header ends with the prefix, and its data are the body.
struct WireHeader {
  std::int32_t sender;     ///< world rank
  std::uint32_t sequence;  ///< counts the messages from this sender to this receiver; UCX promises no order
  std::uint32_t prefix_bytes;
  transport::Header message;
};
static_assert(sizeof(WireHeader) == 28);

inline constexpr std::size_t short_body = 256;  ///< the longest that goes together with its header
inline constexpr std::size_t max_prefix = 64;
inline constexpr unsigned message_id = 0;  ///< of all our active messages
/// Blocks of one message. UCX sends 16 entries at once, of which our header takes one (UCP_MAX_IOV in ucp_ep.h).
inline constexpr std::size_t max_runs = 15;
static_assert(max_runs <= transport::most_runs);

/// Something that UCX has begun and not ended: a send, or an access to a peer's memory.
struct Begun {
  UcxEndpoint* endpoint = nullptr;
  transport::Operation* operation = nullptr;  ///< hears of the end, if there is one
  ucp_rkey_h key = nullptr;                   ///< of an access
  ucs_status_t status = UCS_OK;               ///< how it ended
  std::array<std::byte, sizeof(WireHeader) + max_prefix> header;
  std::array<ucp_dt_iov_t, max_runs> runs;  ///< of a body with holes; UCX reads them until it has ended
  std::unique_ptr<std::byte[]> body;        ///< room for a copy, made when it is first needed
};

class UcxDevice final : public transport::Device {
 public:
  /// `rank`: this process's world rank; `host`: its host's name, for the peers' messages. The context must outlive the
  /// device. Throws Error.
  UcxDevice(Context& context, int rank, std::string host);
  ~UcxDevice() override;
  UcxDevice(const UcxDevice&) = delete;
  UcxDevice& operator=(const UcxDevice&) = delete;

  std::string_view name() const override { return "ucx"; }
  transport::Address address() const override;
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override;
  unsigned poll(transport::Sink& sink) override;
  /// False arms the descriptor.
  bool ready() noexcept override;
  bool drained() noexcept override;
  unsigned lost_peers() const noexcept override { return lost_peers_; }
  int descriptor() const noexcept override { return descriptor_; }

 private:
  friend class UcxEndpoint;

  /// A message that came too early, or that the sink could not take yet.
  struct Kept {
    int sender;
    transport::Header header;
    std::size_t prefix_bytes;
    std::vector<std::byte> bytes;
  };
  /// What is known of the messages from one peer.
  struct Incoming {
    std::uint32_t next = 0;               ///< number of the message to be delivered next
    std::map<std::uint32_t, Kept> early;  ///< those that have overtaken it
  };

  /// When first contact with a peer has failed, in a row of attempts.
  struct Refusals {
    std::chrono::steady_clock::time_point first, last;
  };

  // For endpoints.
  bool may_answer_yet(int peer);
  Begun* begin(UcxEndpoint& endpoint) noexcept;
  Begun* begin_copy(UcxEndpoint& endpoint) noexcept;
  void give_back(Begun& begun) noexcept;
  static void ended(void* request, ucs_status_t status, void* begun) noexcept;
  void close(ucp_ep_h endpoint) noexcept;

  static ucs_status_t message_arrived(void* device, const void* header, std::size_t header_bytes, void* body,
                                      std::size_t body_bytes, const ucp_am_recv_param_t* param) noexcept;
  void take(const WireHeader& header, std::span<const std::byte> prefix, std::span<const std::byte> body);
  void deliver(int sender, transport::Header header, std::span<const std::byte> prefix,
               std::span<const std::byte> body);
  void deliver_kept();
  void tell_ended();
  void await_closing() noexcept;

  Context& context_;
  const Library& ucx_;
  int rank_;
  std::string host_;
  ucp_worker_h worker_ = nullptr;
  int descriptor_ = -1;

  std::deque<Begun> all_begun_;
  std::vector<Begun*> free_;         ///< without a body
  std::vector<Begun*> free_copies_;  ///< with one
  std::vector<Begun*> ended_;        ///< not told yet
  std::size_t copies_ = 0;           ///< how many have a body
  std::size_t under_way_ = 0;
  unsigned lost_peers_ = 0;
  void* flush_ = nullptr;
  std::vector<void*> closing_;

  transport::Sink* sink_ = nullptr;  ///< during a poll
  unsigned delivered_ = 0;
  std::exception_ptr failure_;  ///< what the sink has thrown during this poll
  std::deque<Kept> kept_;       ///< to be delivered before anything else, in order
  std::unordered_map<int, Incoming> incoming_;
  std::unordered_map<int, Refusals> refusals_;
};

}  // namespace bowline::ucx
