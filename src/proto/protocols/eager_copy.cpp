// SPDX-License-Identifier: BSD-3-Clause
// Eager, copied: Engine::send() sends the message before the receiver requests it, through the transport's buffers,
// with one copy in and one copy out. Up to this length a sender does not wait for its receiver. A transport that can
// send without a copy may also be used for eager messages that are longer than those it copies.
#include <algorithm>

#include "base/tunable.hpp"
#include "proto/protocols/protocol.hpp"

namespace bowline::proto {
namespace {

Tunable<std::size_t> limit(Category::messages, "eager_limit", 8 << 10, 0, 1 << 20,
                           "longest message sent before its receiver asks for it, in bytes");

class EagerCopy final : public Protocol {
 public:
  using Protocol::Protocol;
  LengthRange serves(const transport::Limits& limits) const noexcept override {
    const std::size_t copied = limits.max_body - sizeof(SendId);  // a synchronous message has a prefix
    const std::size_t longest = std::max(copied, limits.eager_limit != transport::never ? limits.max_posted : 0);
    const std::size_t wanted = limits.eager_limit != transport::never ? limits.eager_limit : eager_limit();
    return {limits.inline_body + 1, std::min(wanted, longest)};
  }
};
constinit const EagerCopy copy_protocol{"eager_copy", "unasked, through the transport's buffers"};

}  // namespace

std::size_t eager_limit() noexcept {
  return limit.value();
}

constinit const Protocol& eager_copy = copy_protocol;

}  // namespace bowline::proto
