// SPDX-License-Identifier: BSD-3-Clause
// The table of protocols, and the choice among them for one endpoint.
#include "proto/protocols/plan.hpp"

#include "proto/protocols/protocol.hpp"

namespace bowline::proto {

std::span<const Protocol* const> protocols() noexcept {
  static const std::array<const Protocol*, 8> all{&eager_inline,           &eager_copy,
                                                  &rendezvous_get,         &rendezvous_put,
                                                  &rendezvous_single_copy, &rendezvous_single_copy_by_both,
                                                  &rendezvous_long_pieces, &rendezvous_pipeline};
  return all;
}

Plan make_plan(const transport::Limits& limits) {
  Plan plan;
  plan.eager_limit = eager_copy.serves(limits).up_to;
  std::size_t count = 0;
  for (const RendezvousProtocol* protocol :
       {&rendezvous_get, &rendezvous_put, &rendezvous_single_copy, &rendezvous_pipeline}) {
    const LengthRange range = protocol->serves(limits);
    if (!range.empty()) plan.choices[count++] = {range.from, protocol};
  }
  return plan;
}

}  // namespace bowline::proto
