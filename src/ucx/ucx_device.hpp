// SPDX-License-Identifier: BSD-3-Clause
// UcxDevice: the UCX transport of one lane. It has a UCX worker, its pending operations and its arriving messages.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "transport/own_indices.hpp"
#include "transport/transport.hpp"
#include "ucx/arrivals.hpp"
#include "ucx/library.hpp"
#include "ucx/pending_operation.hpp"
#include "ucx/ucx_context.hpp"

namespace bowline::ucx {

class UcxEndpoint;

class UcxDevice final : public transport::Device {
 public:
  /// `rank`: this process's world rank; `ranks`: the size of the world; `host`: this host's name, which peers show in
  /// error messages. The context must outlive the device. Throws Error.
  UcxDevice(Context& context, int rank, int ranks, std::string host);
  ~UcxDevice() override;
  UcxDevice(const UcxDevice&) = delete;
  UcxDevice& operator=(const UcxDevice&) = delete;

  std::string_view name() const override { return "ucx"; }
  transport::Address address() const override;
  std::unique_ptr<transport::Endpoint> connect(int peer, const transport::Address& address) override;
  unsigned poll(transport::Sink& sink) noexcept override;
  void grow_to(int processes) override;
  void known_as(int peer, int self) noexcept override { indices_.set(peer, self); }
  /// If ready() returns false, the descriptor is armed.
  bool ready() noexcept override;
  bool drained() noexcept override;
  std::optional<transport::Traffic> traffic() noexcept override {
    return transport::Traffic{
        .sent = sent_, .delivered = arrivals_.taken(), .accesses = pending_operations_.accesses()};
  }
  unsigned lost_peers() const noexcept override { return lost_peers_; }
  int descriptor() const noexcept override { return descriptor_; }

 private:
  friend class UcxEndpoint;

  /// The times of the first and the last failure in a row of attempts to connect to a peer.
  struct Refusals {
    std::chrono::steady_clock::time_point first, last;
  };

  // For endpoints.
  bool may_answer_yet(int peer);
  static void ended(void* request, ucs_status_t status, void* pending) noexcept;
  void close(ucp_ep_h endpoint) noexcept;

  static ucs_status_t message_arrived(void* device, const void* header, std::size_t header_bytes, void* body,
                                      std::size_t body_bytes, const ucp_am_recv_param_t* param) noexcept;
  unsigned tell_ended() noexcept;
  void await_closing() noexcept;

  Context& context_;
  const Library& ucx_;
  transport::OwnIndices indices_;
  std::string host_;
  ucp_worker_h worker_ = nullptr;
  int descriptor_ = -1;

  PendingPool pending_operations_;
  Arrivals arrivals_;
  std::uint64_t sent_ = 0;  ///< messages that UCX has taken
  unsigned lost_peers_ = 0;
  void* flush_ = nullptr;
  std::vector<void*> closing_;
  /// Endpoints to peers of other versions. A message on each endpoint tells the peer our version.
  std::unordered_map<int, std::unique_ptr<transport::Endpoint>> other_versions_;
  std::unordered_map<int, Refusals> refusals_;
};

}  // namespace bowline::ucx
