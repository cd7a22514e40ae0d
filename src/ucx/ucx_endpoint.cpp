// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/ucx_endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process_id.hpp"
#include "base/tunable.hpp"
#include "ucx/bridges.hpp"
#include "ucx/ucx_memory.hpp"

namespace bowline::ucx {
namespace {

Tunable<std::size_t> eager_limit(Category::networks, "ucx_eager_limit", 64 << 10, 0, 1 << 20,
                                 "longest message sent to another node before its receiver asks for it, in bytes; "
                                 "where adapters read memory, ucx_remote_from is the limit if it is less");
Tunable<std::size_t> remote_from(Category::networks, "ucx_remote_from", 32 << 10, 0, std::size_t{1} << 40,
                                 "shortest message that an adapter reads from the memory of a process on another node, "
                                 "or writes to it, in bytes; ucx_remote_memory chooses");

/// Bytes of each piece of a long message that is sent to another node without copying it.
constexpr std::size_t piece = 128 << 10;
/// Pieces of long messages that are in flight at once, per peer.
constexpr unsigned pieces_in_flight = 16;

// The longest body that send() copies. Longer bodies are sent from the user's memory. Pieces of messages with holes are
// copied.
constexpr std::size_t longest_copy = 16 << 10;

bool of_no_consequence(ucs_status_t status) noexcept {
  return status == UCS_ERR_NO_RESOURCE || status == UCS_ERR_NO_MEMORY;
}

}  // namespace

transport::Limits ucx_limits(RemoteMemory access, bool native) noexcept {
  const std::size_t gets_from = access == RemoteMemory::get ? remote_from.value() : transport::never;
  return {.max_body = longest_copy + max_prefix,
          .max_prefix = max_prefix,
          .eager_limit = std::min(eager_limit.value(), gets_from),
          .max_posted = std::max(piece, eager_limit.value()),
          .max_iov = max_iov,
          .get_from = gets_from,
          .put_from = access == RemoteMemory::put ? remote_from.value() : transport::never,
          .keeps = true,
          .travels = true,
          .access = native ? transport::RemoteAccess::native : transport::RemoteAccess::emulated,
          .atomics = native ? transport::RemoteAccess::native : transport::RemoteAccess::emulated};
}

UcxEndpoint::UcxEndpoint(UcxDevice& device, int peer, std::string host, std::span<const std::byte> address)
    : Endpoint(ucx_limits(device.context_.remote_memory(), device.context_.adapter_accesses())),
      device_(device),
      ucx_(library()),
      peer_(peer),
      self_(device.indices_.at(peer)),
      host_(std::move(host)) {
  ucp_ep_params_t params{};
  params.field_mask =
      UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address = reinterpret_cast<const ucp_address_t*>(address.data());
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb = &failed;
  params.err_handler.arg = this;
  const ucs_status_t status = ucx_.ep_create(device.worker_, &params, &handle_);
  if (status != UCS_OK && !device_.may_answer_yet(peer)) {
    handle_ = nullptr;
    lose(status);
    return;
  }
  if (status != UCS_OK) {
    throw transport::NotYet(
        ErrorClass::other,
        fmt::format("{} on {} cannot be reached by UCX (\"{}\"): do UCX_TLS and UCX_NET_DEVICES, if set, "
                    "name a network that both nodes have?",
                    process_name(peer), host_, text_of(status)));
  }
  warn_of_bridge();
}

/// Warns once if messages go over a virtual bridge although the node has another network, unless the user has chosen
/// devices (UCX_NET_DEVICES).
void UcxEndpoint::warn_of_bridge() {
  static const NetworkDevices devices = network_devices();
  static Atomic<bool> said{false};
  if (devices.bridges.empty() || said || std::getenv("UCX_NET_DEVICES") != nullptr) return;
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* const lanes = open_memstream(&text, &bytes);
  if (lanes == nullptr) return;
  ucx_.ep_print_info(handle_, lanes);
  std::fclose(lanes);
  const std::unique_ptr<char, decltype(&std::free)> holder(text, &std::free);
  const auto bridge = bridge_in_use(devices, {text, bytes});
  if (!bridge.has_value() || said.exchange(true)) return;
  log::warning(
      "UCX sends messages for {} on {} over {}, a virtual bridge that leads to no other node as a rule; name the "
      "network to take, for example UCX_NET_DEVICES={}, or UCX_NET_DEVICES={} if the bridge is meant",
      process_name(peer_), host_, *bridge, devices.others.front(), *bridge);
}

UcxEndpoint::~UcxEndpoint() {
  device_.close(handle_);
}

// ---- messages

std::size_t UcxEndpoint::write_header(std::span<std::byte> to, transport::Header header,
                                      std::span<const std::byte> prefix) const noexcept {
  const WireHeader wire{.sender = self_,
                        .sequence = sequence_,
                        .version = transport::wire_version,
                        .prefix_bytes = static_cast<std::uint8_t>(prefix.size()),
                        .unused = 0,
                        .message = header};
  std::memcpy(to.data(), &wire, sizeof wire);
  if (!prefix.empty()) std::memcpy(to.data() + sizeof wire, prefix.data(), prefix.size());
  return sizeof wire + prefix.size();
}

void UcxEndpoint::note_sent() noexcept {
  ++sequence_;
  ++device_.sent_;
}

transport::Post UcxEndpoint::send(transport::Header header, std::span<const std::byte> prefix,
                                  std::span<const std::byte> body) noexcept {
  if (lost_ || waiting_ != 0) return transport::Post::retry;
  // If UCX can send at all, it copies short messages during the call.
  std::array<std::byte, sizeof(WireHeader) + max_prefix + short_body> wire;
  std::size_t wire_bytes = write_header(wire, header, prefix);
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS | UCP_OP_ATTR_FLAG_FORCE_IMM_CMPL;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  ucs_status_ptr_t sent = nullptr;
  if (body.size() <= short_body) {
    if (!body.empty()) std::memcpy(wire.data() + wire_bytes, body.data(), body.size());
    wire_bytes += body.size();
    sent = ucx_.am_send(handle_, message_id, nullptr, 0, wire.data(), wire_bytes, &param);
  } else {
    sent = ucx_.am_send(handle_, message_id, wire.data(), wire_bytes, body.data(), body.size(), &param);
  }
  if (sent == nullptr) {
    note_sent();
    return transport::Post::done;
  }
  if (!of_no_consequence(UCS_PTR_STATUS(sent))) lose(UCS_PTR_STATUS(sent));
  return transport::Post::retry;
}

// UCX cannot send at once while it connects to the peer, and never what is longer than a buffer of its network.
transport::Post UcxEndpoint::send_or_keep(transport::Header header, std::span<const std::byte> prefix,
                                          std::span<const std::byte> body, transport::Operation* sent) noexcept {
  if (body.size() <= short_body && send(header, prefix, body) == transport::Post::done) return transport::Post::done;
  if (lost_) return transport::Post::retry;
  PendingOperation* const pending = device_.pending_operations_.take_with_body(*this, limits().max_body);
  if (pending == nullptr) return transport::Post::retry;
  pending->operation = sent;
  const std::size_t wire_bytes = write_header(pending->header, header, prefix);
  if (!body.empty()) std::memcpy(pending->body.get(), body.data(), body.size());
  ucp_request_param_t param = telling(*pending);
  return hand_over(*pending, wire_bytes, pending->body.get(), body.size(), param);
}

transport::Post UcxEndpoint::post(transport::Header header, std::span<const std::byte> prefix,
                                  std::span<const iovec> runs, transport::Operation& operation) noexcept {
  if (lost_ || waiting_ >= pieces_in_flight) return transport::Post::retry;
  PendingOperation* const pending = device_.pending_operations_.take(*this);
  if (pending == nullptr) return transport::Post::retry;
  pending->operation = &operation;
  const std::size_t wire_bytes = write_header(pending->header, header, prefix);
  ucp_request_param_t param = telling(*pending);
  if (runs.size() == 1) return hand_over(*pending, wire_bytes, runs[0].iov_base, runs[0].iov_len, param);
  for (std::size_t i = 0; i < runs.size(); ++i) pending->runs[i] = {runs[i].iov_base, runs[i].iov_len};
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
  param.datatype = ucp_dt_make_iov();
  return hand_over(*pending, wire_bytes, pending->runs.data(), runs.size(), param);
}

transport::Post UcxEndpoint::hand_over(PendingOperation& pending, std::size_t header_bytes, const void* data,
                                       std::size_t count, ucp_request_param_t& param) noexcept {
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_AM_SEND_FLAG_EAGER;
  const auto request = ucx_.am_send(handle_, message_id, pending.header.data(), header_bytes, data, count, &param);
  if (UCS_PTR_IS_PTR(request)) {
    note_sent();
    ++waiting_;
    return transport::Post::begun;
  }
  device_.pending_operations_.give_back(pending);
  if (request == nullptr) {
    note_sent();
    return transport::Post::done;
  }
  if (!of_no_consequence(UCS_PTR_STATUS(request))) lose(UCS_PTR_STATUS(request));
  return transport::Post::retry;
}

// ---- the peer's memory

std::vector<std::byte> UcxEndpoint::register_memory(std::span<const std::byte> memory) {
  if (device_.context_.remote_memory() == RemoteMemory::none) return {};
  return device_.context_.register_memory(memory);
}

void UcxEndpoint::deregister(std::span<const std::byte> key) noexcept {
  device_.context_.deregister(key);
}

ucp_request_param_t UcxEndpoint::telling(PendingOperation& pending) noexcept {
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  param.cb.send = &UcxDevice::ended;
  param.user_data = &pending;
  return param;
}

/// UCX's form of a key that this peer has given. Throws Error.
ucp_rkey_h UcxEndpoint::unpack(std::span<const std::byte> key) const {
  const auto remote_key = Context::remote_key(key);
  if (remote_key.empty()) {
    throw Error(ErrorClass::intern, fmt::format("the key to memory of {} on {} has arrived damaged: do all ranks "
                                                "run the same version of Bowline?",
                                                process_name(peer_), host_));
  }
  if (lost_) throw error();
  ucp_rkey_h unpacked = nullptr;
  const ucs_status_t status = ucx_.ep_rkey_unpack(handle_, remote_key.data(), &unpacked);
  if (status == UCS_OK) return unpacked;
  throw Error(ErrorClass::other, fmt::format("the key to memory of {} on {} is of no use: UCX answered \"{}\"",
                                             process_name(peer_), host_, text_of(status)));
}

PendingOperation& UcxEndpoint::begin_access(transport::Operation& operation) {
  if (lost_) throw error();
  PendingOperation* const pending = device_.pending_operations_.take(*this);
  if (pending == nullptr) throw Error(ErrorClass::no_mem, "no memory is left to begin a transfer between nodes");
  pending->operation = &operation;
  device_.pending_operations_.note_access(*pending);
  return *pending;
}

PendingOperation& UcxEndpoint::begin_access_with(std::span<const std::byte> key, transport::Operation& operation) {
  const ucp_rkey_h unpacked = unpack(key);
  try {
    PendingOperation& pending = begin_access(operation);
    pending.key = unpacked;
    return pending;
  } catch (...) {
    ucx_.rkey_destroy(unpacked);
    throw;
  }
}

transport::Access UcxEndpoint::access_begun(PendingOperation& pending, ucs_status_ptr_t request) {
  if (UCS_PTR_IS_PTR(request)) {
    ++waiting_;
    return transport::Access::begun;
  }
  if (request == nullptr) PendingPool::store_reply(pending);
  device_.pending_operations_.give_back(pending);
  if (request == nullptr) return transport::Access::done;
  lose(UCS_PTR_STATUS(request));
  throw error();
}

transport::Access UcxEndpoint::get(const transport::Remote& source, std::span<std::byte> target,
                                   transport::Operation& operation) {
  if (source.key.empty()) return transport::Access::refused;
  PendingOperation& pending = begin_access_with(source.key, operation);
  const ucp_request_param_t param = telling(pending);
  return access_begun(pending, ucx_.get(handle_, target.data(), target.size(), source.address, pending.key, &param));
}

transport::Access UcxEndpoint::put(std::span<const std::byte> source, const transport::Remote& target,
                                   transport::Operation& operation) {
  if (target.key.empty()) return transport::Access::refused;
  PendingOperation& pending = begin_access_with(target.key, operation);
  const ucp_request_param_t untold{};
  const auto put = ucx_.put(handle_, source.data(), source.size(), target.address, pending.key, &untold);
  if (UCS_PTR_IS_ERR(put)) return access_begun(pending, put);
  if (put != nullptr) ucx_.request_free(put);
  // A completed put only means that the source may be reused. The completed flush means that the data are in the peer's
  // memory (remote completion).
  const ucp_request_param_t param = telling(pending);
  return access_begun(pending, ucx_.ep_flush(handle_, &param));
}

// ---- memory of the peer for many accesses

std::vector<std::byte> UcxEndpoint::register_window(std::span<const std::byte> memory) {
  return device_.context_.register_memory(memory);
}

std::unique_ptr<transport::PeerMemory> UcxEndpoint::open_memory(std::span<const std::byte> key) {
  const ucp_rkey_h unpacked = unpack(key);
  try {
    return std::make_unique<UcxMemory>(*this, unpacked);
  } catch (...) {
    ucx_.rkey_destroy(unpacked);
    throw;
  }
}

transport::Access UcxEndpoint::flush(transport::Operation& operation) {
  PendingOperation& pending = begin_access(operation);
  const ucp_request_param_t param = telling(pending);
  return access_begun(pending, ucx_.ep_flush(handle_, &param));
}

void UcxEndpoint::order_atomics() noexcept {
  if (waiting_ > 0) ucx_.worker_fence(device_.worker_);
}

// ---- completion and loss

void UcxEndpoint::one_ended(ucs_status_t status) noexcept {
  --waiting_;
  if (status != UCS_OK) lose(status);
}

void UcxEndpoint::failed(void* endpoint, ucp_ep_h, ucs_status_t status) noexcept {
  static_cast<UcxEndpoint*>(endpoint)->lose(status);
}

void UcxEndpoint::lose(ucs_status_t why) noexcept {
  if (lost_) return;
  lost_ = true;
  why_lost_ = why;
  ++device_.lost_peers_;
  log::info("{} {}", process_name(peer_), loss());
}

void UcxEndpoint::abandon(const std::string& why) noexcept {
  if (lost_) return;
  try {
    why_abandoned_ = why;
  } catch (const std::bad_alloc&) {  // the error then has UCX's words
  }
  lose(UCS_ERR_UNREACHABLE);
  device_.close(std::exchange(handle_, nullptr));  // ends what is under way
}

std::string UcxEndpoint::loss() const {
  if (!why_abandoned_.empty()) return fmt::format("on {} cannot be reached any more ({})", host_, why_abandoned_);
  return fmt::format("on {} cannot be reached any more (UCX says \"{}\")", host_, text_of(why_lost_));
}

Error UcxEndpoint::error() const {
  return {ErrorClass::proc_failed, fmt::format("{} {}", process_name(peer_), loss())};
}

}  // namespace bowline::ucx
