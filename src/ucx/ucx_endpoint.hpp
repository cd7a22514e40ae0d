// SPDX-License-Identifier: BSD-3-Clause
// UcxEndpoint: the connection to one peer over UCX.
#pragma once

#include <cstdint>
#include <string>

#include "transport/transport.hpp"
#include "ucx/ucx_device.hpp"

namespace bowline::ucx {

/// The limits of UCX endpoints, given the tunables. `access`: see Context::remote_memory(); `native`: see
/// Context::adapter_accesses().
transport::Limits ucx_limits(RemoteMemory access, bool native = false) noexcept;

class UcxEndpoint final : public transport::Endpoint {
 public:
  /// `address`: the address of the peer's worker. UCX connects when the first message is sent. If UCX cannot make the
  /// endpoint, throws NotYet; once attempts have failed for `ucx_contact_patience` seconds, makes a lost endpoint
  /// instead.
  UcxEndpoint(UcxDevice& device, int peer, std::string host, std::span<const std::byte> address);
  ~UcxEndpoint() override;
  UcxEndpoint(const UcxEndpoint&) = delete;
  UcxEndpoint& operator=(const UcxEndpoint&) = delete;

  transport::Post send(transport::Header header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) noexcept override;
  transport::Post send_or_keep(transport::Header header, std::span<const std::byte> prefix,
                               std::span<const std::byte> body, transport::Operation* sent) noexcept override;
  transport::Post post(transport::Header header, std::span<const std::byte> prefix, std::span<const iovec> runs,
                       transport::Operation& operation) noexcept override;
  std::vector<std::byte> register_memory(std::span<const std::byte> memory) override;
  void deregister(std::span<const std::byte> key) noexcept override;
  transport::Access get(const transport::Remote& source, std::span<std::byte> target,
                        transport::Operation& operation) override;
  transport::Access put(std::span<const std::byte> source, const transport::Remote& target,
                        transport::Operation& operation) override;
  std::vector<std::byte> register_window(std::span<const std::byte> memory) override;
  std::unique_ptr<transport::PeerMemory> open_memory(std::span<const std::byte> key) override;
  transport::Access flush(transport::Operation& operation) override;
  bool lost() noexcept override { return lost_; }
  void abandon(const std::string& why) noexcept override;
  std::string loss() const override;

  // For UcxMemory.
  ucp_ep_h handle() const noexcept { return handle_; }
  /// An object for an access that is about to begin. Throws Error.
  PendingOperation& begin_access(transport::Operation& operation);
  /// Parameters that make UCX report the completion of the operation.
  static ucp_request_param_t telling(PendingOperation& pending) noexcept;
  /// The result of UCX's function that has begun the access. Throws Error.
  transport::Access access_begun(PendingOperation& pending, ucs_status_ptr_t request);
  /// From now on atomic operations do not overtake earlier atomic operations.
  void order_atomics() noexcept;

  UcxDevice& device() noexcept { return device_; }
  /// A pending operation has completed. A failure makes the peer lost.
  void one_ended(ucs_status_t status) noexcept;
  /// The error of operations with this peer when it is lost (MPIX_ERR_PROC_FAILED).
  Error error() const;

 private:
  std::size_t write_header(std::span<std::byte> to, transport::Header header,
                           std::span<const std::byte> prefix) const noexcept;
  transport::Post hand_over(PendingOperation& pending, std::size_t header_bytes, const void* data, std::size_t count,
                            ucp_request_param_t& param) noexcept;
  void note_sent() noexcept;
  PendingOperation& begin_access_with(std::span<const std::byte> key, transport::Operation& operation);
  ucp_rkey_h unpack(std::span<const std::byte> key) const;
  void lose(ucs_status_t why) noexcept;
  void warn_of_bridge();
  static void failed(void* endpoint, ucp_ep_h handle, ucs_status_t status) noexcept;

  UcxDevice& device_;
  const Library& ucx_;
  int peer_;
  int self_;  ///< this process, by the index that the peer uses
  std::string host_;
  ucp_ep_h handle_ = nullptr;
  std::uint32_t sequence_ = 0;  ///< sequence number of the next message
  unsigned waiting_ = 0;        ///< number of pending operations
  bool lost_ = false;
  ucs_status_t why_lost_ = UCS_OK;
  std::string why_abandoned_;  ///< empty if UCX has found the loss
};

}  // namespace bowline::ucx
