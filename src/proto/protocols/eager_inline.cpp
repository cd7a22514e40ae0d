// SPDX-License-Identifier: BSD-3-Clause
// Eager, inline: the message travels with its header, in one cache line or one packet. Engine::send() hands it to the
// endpoint, which writes both at once; the receiver copies it to the receive buffer.
#include <algorithm>

#include "proto/protocols/protocol.hpp"

namespace bowline::proto {
namespace {

class EagerInline final : public Protocol {
 public:
  using Protocol::Protocol;
  LengthRange serves(const transport::Limits& limits) const noexcept override {
    return {0, std::min(limits.inline_body, eager_limit())};
  }
};
constinit const EagerInline inline_protocol{"eager_inline", "with its header, in one cache line or packet"};

}  // namespace

constinit const Protocol& eager_inline = inline_protocol;

}  // namespace bowline::proto
