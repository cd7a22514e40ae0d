// SPDX-License-Identifier: BSD-3-Clause
#include "coll/team_channel.hpp"

#include <memory>
#include <utility>

#include "dtype/predefined.hpp"

namespace bowline::coll {

void TeamChannel::open_node_turns() {
  TeamSlots& shared = team_.division->node->slots();
  const unsigned spins = turns_ == Turns::of_one_thread ? shared.spins() : 0;
  node_turns_.emplace(shared.memory(), node_number_, spins);
  next_node_turn_ = 0;
}

Completion* TeamChannel::begin_send(int to, std::span<const std::byte> data) {
  const transport::Header header{.context = team_.context, .source = team_.rank, .tag = tag_};
  // A buffer serves both directions; a send only reads it.
  const proto::Buffer buffer{const_cast<std::byte*>(data.data()), data.size(), &dtype::byte_type()};
  proto::Request& request = team_.engine.isend(team_.ranks.world(to), header, buffer);
  return &request == &proto::completed_request() ? nullptr : &request;
}

Completion* TeamChannel::begin_receive(int from, std::span<std::byte> data) {
  return &team_.engine.ireceive({team_.context, from, tag_}, {data.data(), data.size(), &dtype::byte_type()});
}

void TeamChannel::end(Completion& completion) {
  auto& request = static_cast<proto::Request&>(completion);
  const std::unique_ptr<Error> failure = std::move(request.failure);
  team_.engine.release(request);
  if (failure != nullptr) throw Error(*failure);
}

void TeamChannel::abandon(Completion& completion) noexcept {
  auto& request = static_cast<proto::Request&>(completion);
  request.waiter = nullptr;
  team_.engine.cancel(request);
  team_.engine.release(request);
}

}  // namespace bowline::coll
