// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/receive_group.hpp"

#include <algorithm>
#include <limits>

#include "verbs/verbs_library.hpp"

namespace bowline::verbs {
namespace {

constexpr unsigned first_buffers = 256;  // to receive in
constexpr unsigned spare_buffers =
    64;  // buffers for messages that need no credit, and buffers that are outside of the queue
constexpr unsigned buffers_for_none = 32;     // of a device over which nobody sends messages
constexpr std::uint32_t longest_window = 64;  // messages of one peer under way
static_assert(spare_buffers > ReceivePool::batch);

bool has_messages(const Adapter& adapter) noexcept {
  return adapter.role() == Role::everything;
}

/// A connection of iWARP breaks if a message finds no buffer. So each peer has buffers also for the messages that need
/// no credit: two that tell credits may be under way, and a bye.
unsigned buffers_per_peer(const Adapter& adapter) noexcept {
  return adapter.port().address.fabric == Fabric::iwarp ? 4 : 1;
}

/// Buffers for so many peers, if the adapter takes so many.
unsigned most_buffers(const Adapter& adapter, unsigned peers) {
  if (!has_messages(adapter)) return buffers_for_none;
  return std::min(first_buffers + peers * buffers_per_peer(adapter), static_cast<unsigned>(adapter.facts().max_srq_wr));
}

std::uint32_t most_peers(const Adapter& adapter, unsigned peers) {
  if (!has_messages(adapter)) return std::numeric_limits<std::uint32_t>::max();
  const unsigned buffers = most_buffers(adapter, peers);
  return buffers <= first_buffers ? 1 : (buffers - first_buffers) / buffers_per_peer(adapter);
}

/// The queue has room for the completion of everything that can be under way.
CompletionQueue make_completions(const Adapter& adapter, ibv_comp_channel* channel, unsigned works, unsigned peers) {
  const auto wanted = static_cast<int>(works + most_buffers(adapter, peers));
  CompletionQueue queue(
      library().create_cq(adapter.device(), std::min(wanted, adapter.facts().max_cqe), nullptr, channel, 0));
  if (queue == nullptr) throw verbs_error("making a completion queue", adapter.name());
  return queue;
}

}  // namespace

ReceiveGroup::ReceiveGroup(Adapter& adapter, ibv_comp_channel* channel, std::size_t buffer_bytes, unsigned works,
                           unsigned peers)
    : adapter_(adapter),
      completions_(make_completions(adapter, channel, works, peers)),
      receives_(adapter, buffer_bytes, has_messages(adapter) ? first_buffers : buffers_for_none,
                most_buffers(adapter, peers)),
      credits_(has_messages(adapter) ? first_buffers - spare_buffers : 0, longest_window),
      most_peers_(most_peers(adapter, peers)) {}

void ReceiveGroup::admit(Grant& grant) {
  if (has_messages(adapter_)) receives_.grow_to(first_buffers + (credits_.peers() + 1) * buffers_per_peer(adapter_));
  credits_.admit(grant);
  --expected_;
}

}  // namespace bowline::verbs
