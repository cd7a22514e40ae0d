// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/ucx_device.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/tunable.hpp"
#include "transport/published.hpp"
#include "transport/version.hpp"
#include "ucx/interface_settings.hpp"
#include "ucx/ucx_endpoint.hpp"

namespace bowline::ucx {
namespace {

Tunable<int> contact_patience(TunableTraits(Category::losses).at_any_time(), "ucx_contact_patience", 10, 0, 3600,
                              "seconds for which first contact with a rank may fail, again and again, before it counts "
                              "as lost: a link may be cut for a while");

// A peer that does not respond must not keep this process from ending.
constexpr std::chrono::seconds patience_at_the_end{1};

}  // namespace

UcxDevice::UcxDevice(Context& context, int rank, int ranks, std::string host)
    : context_(context),
      ucx_(library()),
      indices_(rank, ranks),
      host_(std::move(host)),
      pending_operations_(ucx_),
      arrivals_(ranks) {
  ucp_worker_params_t params{};
  params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  const InterfaceSettings while_it_is_made;
  check(ucx_.worker_create(context.handle(), &params, &worker_), "making a UCX worker");
  try {
    check(ucx_.worker_get_efd(worker_, &descriptor_), "asking UCX for a descriptor to wait on");
    ucp_am_handler_param_t handler{};
    handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                         UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
    handler.id = message_id;
    handler.flags = UCP_AM_FLAG_WHOLE_MSG;
    handler.cb = &message_arrived;
    handler.arg = this;
    check(ucx_.worker_set_am_recv_handler(worker_, &handler), "receiving messages from UCX");
  } catch (...) {
    ucx_.worker_destroy(worker_);
    throw;
  }
}

UcxDevice::~UcxDevice() {
  arrivals_.stop();
  other_versions_.clear();
  await_closing();
  if (closing_.empty()) {
    ucx_.worker_destroy(worker_);
  } else {
    context_.abandon();  // UCX would end the process if the worker were destroyed now
  }
}

void UcxDevice::await_closing() noexcept {
  const auto deadline = std::chrono::steady_clock::now() + patience_at_the_end;
  while (!closing_.empty() && std::chrono::steady_clock::now() < deadline) {
    ucx_.worker_progress(worker_);
    std::erase_if(closing_, [&](void* request) {
      if (ucx_.request_check_status(request) == UCS_INPROGRESS) return false;
      ucx_.request_free(request);
      return true;
    });
  }
}

transport::Address UcxDevice::address() const {
  ucp_address_t* worker_address = nullptr;
  std::size_t bytes = 0;
  check(ucx_.worker_get_address(worker_, &worker_address, &bytes), "asking UCX for this process's address");
  transport::Address all = transport::publish(host_, {reinterpret_cast<const std::byte*>(worker_address), bytes});
  ucx_.worker_release_address(worker_, worker_address);
  return all;
}

std::unique_ptr<transport::Endpoint> UcxDevice::connect(int peer, const transport::Address& address) {
  transport::Published theirs = transport::read_published(peer, address, "a UCX");
  const std::uint32_t version = theirs.version;
  auto endpoint = std::make_unique<UcxEndpoint>(*this, peer, std::move(theirs.host), theirs.device);
  if (version == transport::wire_version) return endpoint;
  // Any message tells the peer the version of this process.
  if (endpoint->send_or_keep({}, {}, {}, nullptr) != transport::Post::retry)
    other_versions_.try_emplace(peer, std::move(endpoint));
  throw transport::other_version(peer, version);
}

void UcxDevice::grow_to(int processes) {
  indices_.grow_to(processes);
  arrivals_.grow_to(indices_.processes());
}

/// Whether another attempt to connect may succeed. A peer that has ended refuses the connection, and a peer whose link
/// is cut may refuse it for a while; UCX returns the same error for both. So a peer counts as lost only after it has
/// refused for `ucx_contact_patience` seconds.
bool UcxDevice::may_answer_yet(int peer) {
  const std::chrono::seconds patience(contact_patience.value());
  const auto now = std::chrono::steady_clock::now();
  Refusals& refusals = refusals_[peer];
  if (now - refusals.last > patience) refusals.first = now;
  refusals.last = now;
  return now - refusals.first < patience;
}

// ---- pending operations

void UcxDevice::ended(void* request, ucs_status_t status, void* argument) noexcept {
  PendingOperation& pending = *static_cast<PendingOperation*>(argument);
  UcxDevice& device = pending.endpoint->device();
  device.ucx_.request_free(request);
  pending.status = status;
  device.pending_operations_.note_end(pending);
}

unsigned UcxDevice::tell_ended() noexcept {
  unsigned told = 0;
  for (; pending_operations_.has_ended(); ++told) {
    PendingOperation& pending = pending_operations_.take_ended();
    transport::Operation* const operation = pending.operation;
    const ucs_status_t status = pending.status;
    UcxEndpoint& endpoint = *pending.endpoint;
    endpoint.one_ended(status);
    if (status == UCS_OK) PendingPool::store_reply(pending);
    pending_operations_.give_back(pending);
    if (operation == nullptr) continue;
    if (status == UCS_OK) {
      operation->ended(nullptr);
    } else {
      const Failure failure = Failure::of([&] { return endpoint.error(); });
      operation->ended(failure.get());
    }
  }
  return told;
}

/// Closes the endpoint without waiting for the peer, which may not respond any more. drained() has already waited for
/// everything that must arrive.
void UcxDevice::close(ucp_ep_h endpoint) noexcept {
  if (endpoint == nullptr) return;  // UCX could not make the endpoint
  ucp_request_param_t param{};
  param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
  param.flags = UCP_EP_CLOSE_FLAG_FORCE;
  void* const request = ucx_.ep_close(endpoint, &param);
  if (UCS_PTR_IS_PTR(request)) closing_.push_back(request);
}

bool UcxDevice::drained() noexcept {
  if (pending_operations_.under_way() > 0) return false;
  if (flush_ == nullptr) {
    const ucp_request_param_t param{};
    void* const request = ucx_.worker_flush(worker_, &param);
    if (!UCS_PTR_IS_PTR(request)) return true;  // all is flushed, or no peer is left
    flush_ = request;
  }
  if (ucx_.request_check_status(flush_) == UCS_INPROGRESS) return false;
  ucx_.request_free(std::exchange(flush_, nullptr));
  return true;
}

// ---- arriving messages

unsigned UcxDevice::poll(transport::Sink& sink) noexcept {
  arrivals_.begin(sink);
  ucx_.worker_progress(worker_);
  const unsigned ended = pending_operations_.has_ended() ? tell_ended() : 0;
  return ended + arrivals_.end();
}

bool UcxDevice::ready() noexcept {
  // The process must not sleep if messages have arrived, nor after an error.
  if (arrivals_.waiting() || pending_operations_.has_ended() || ucx_.worker_arm(worker_) != UCS_OK) return true;
  pollfd armed{descriptor_, POLLIN, 0};  // UCX does not check sockets when it arms the descriptor
  return ::poll(&armed, 1, 0) != 0;
}

ucs_status_t UcxDevice::message_arrived(void* device, const void* header, std::size_t header_bytes, void* body,
                                        std::size_t body_bytes, const ucp_am_recv_param_t* param) noexcept {
  // Bowline never sends messages whose data UCX has to fetch first (UCX's rendezvous). The data of such a message are
  // not here, so the message is taken without its data.
  const bool here = (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0;
  static_cast<UcxDevice*>(device)->arrivals_.take({static_cast<const std::byte*>(header), header_bytes},
                                                  {static_cast<const std::byte*>(body), here ? body_bytes : 0});
  return UCS_OK;
}

}  // namespace bowline::ucx
