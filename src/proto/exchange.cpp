// SPDX-License-Identifier: BSD-3-Clause
#include "proto/exchange.hpp"

#include <exception>
#include <utility>

#include "base/task.hpp"
#include "proto/in_words.hpp"

namespace bowline::proto {
namespace {

class ExchangeRequest final : public SpecialRequest {
 public:
  ExchangeRequest(std::uint32_t context, std::unique_ptr<std::byte[]> copy_) noexcept
      : SpecialRequest(context), copy(std::move(copy_)) {}
  std::string in_words(Engine& lane) const override {
    const std::string receive = goes_on(received) ? request_in_words(lane, *received) : "";
    const std::string send = goes_on(sent) ? request_in_words(lane, *sent) : "";
    return receive + (receive.empty() || send.empty() ? "" : " and ") + send;
  }
  WaitTargets targets(Engine& lane) const override {
    AllOfRequests all;
    for (const Request* const part : {received, sent}) {
      if (goes_on(part)) all.add(targets_of(lane, *part));
    }
    return all.targets();
  }

  const Request* receive_under_way() const noexcept override { return goes_on(received) ? received : nullptr; }

  static bool goes_on(const Request* part) noexcept { return part != nullptr && !part->done; }

  std::unique_ptr<std::byte[]> copy;
  std::exception_ptr refusal;   ///< why a part could not begin
  Request* received = nullptr;  ///< the parts, until they are given back; nullptr: none
  Request* sent = nullptr;
};

/// Awaits the completion of a request; nullptr counts as completed.
struct EndOf {
  Request* request;
  bool await_ready() const noexcept { return request == nullptr || request->done; }
  void await_suspend(std::coroutine_handle<> handle) const noexcept { request->waiter = handle; }
  void await_resume() const noexcept {}
};

/// Copies the failure of a part to the whole, and releases the part.
void conclude(Engine& engine, Request*& part, Request& whole) noexcept {
  if (part->failure != nullptr && whole.failure == nullptr) {
    whole.status.error = part->status.error;
    whole.failure = part->failure;
  }
  engine.release(*std::exchange(part, nullptr));
}

/// Starts the send and the receive only when the coroutine frame exists, so that there is memory to wait for both.
/// `outgoing` and `incoming` are not used after the first suspension.
Background run(Engine& engine, const Outgoing& outgoing, const Incoming& incoming, ExchangeRequest& whole) {
  Request*& received = whole.received;
  Request*& sent = whole.sent;
  try {
    if (incoming.match.source != no_process) received = &engine.ireceive(incoming.match, incoming.buffer);
    if (outgoing.to != no_process) sent = &engine.isend(outgoing.to, outgoing.header, outgoing.buffer);
  } catch (...) {
    whole.refusal = std::current_exception();
    if (received != nullptr) {
      engine.cancel(*received);
      engine.release(*std::exchange(received, nullptr));
    }
    co_return;
  }
  EndOf send_end{sent};
  co_await send_end;
  EndOf receive_end{received};
  co_await receive_end;
  if (received != nullptr) {
    whole.status = received->status;
    conclude(engine, received, whole);
  } else {
    whole.status = {.source = no_process};
  }
  if (sent != nullptr) conclude(engine, sent, whole);
  engine.complete(whole);
}

}  // namespace

Request& iexchange(Engine& engine, const Outgoing& outgoing, const Incoming& incoming,
                   std::unique_ptr<std::byte[]> copy) {
  auto& whole = *new ExchangeRequest(incoming.match.context, std::move(copy));
  try {
    run(engine, outgoing, incoming, whole);
    if (whole.refusal != nullptr) std::rethrow_exception(whole.refusal);
  } catch (...) {
    whole.dispose();
    throw;
  }
  return whole;
}

void withdraw_receive(Engine& engine, Request& exchange) {
  auto& whole = static_cast<ExchangeRequest&>(exchange);
  if (ExchangeRequest::goes_on(whole.received)) engine.cancel(*whole.received);
}

}  // namespace bowline::proto
