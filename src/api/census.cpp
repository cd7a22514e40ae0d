// SPDX-License-Identifier: BSD-3-Clause
#include "api/census.hpp"

#include <utility>

#include "comm/index_space.hpp"
#include "proto/context.hpp"

namespace bowline::api {
namespace {

using proto::Purpose;

Purpose purpose_of(std::uint32_t context) noexcept {
  return static_cast<Purpose>(context & 3);
}

bool among_all(Purpose purpose) noexcept {
  return purpose == Purpose::collective || purpose == Purpose::local;
}

/// The group whose members send in this context, in the order of their sources, one after the other.
std::pair<const comm::Group*, const comm::Group*> senders_of(const comm::Communicator& comm, Purpose purpose) {
  const auto& bridge = comm.bridge();
  if (!bridge || purpose == Purpose::local) return {&comm.group(), nullptr};
  if (!among_all(purpose)) return {&bridge->remote, nullptr};
  if (bridge->local_first) return {&comm.group(), &bridge->remote};
  return {&bridge->remote, &comm.group()};
}

}  // namespace

JobCensus::JobCensus(comm::Communicator& world, comm::Communicator& self, comm::Communicators& others,
                     Transports& transports, std::function<void(const Error&)> lost)
    : world_(world), self_(self), others_(others), transports_(transports), lost_(std::move(lost)) {}

/// Also one that the program has freed; nullptr for processes that have no communicator yet.
comm::Communicator* JobCensus::find(std::uint32_t context) noexcept {
  const std::uint32_t index = proto::index_of(context);
  if (index == comm::IndexSpace::world) return &world_;
  if (index == comm::IndexSpace::self) return &self_;
  return others_.find(index);
}

int JobCensus::world_rank(std::uint32_t context, int source) {
  const comm::Communicator* const comm = find(context);
  if (comm == nullptr) return -1;
  const auto [first, second] = senders_of(*comm, purpose_of(context));
  if (source < 0 || source >= senders(context)) return -1;
  return source < first->size() || second == nullptr ? first->process(source) : second->process(source - first->size());
}

int JobCensus::source(std::uint32_t context, int world_rank) {
  const comm::Communicator* const comm = find(context);
  if (comm == nullptr) return -1;
  const auto [first, second] = senders_of(*comm, purpose_of(context));
  const int among_first = first->rank_of(world_rank);
  if (among_first >= 0 || second == nullptr) return among_first;
  const int among_second = second->rank_of(world_rank);
  return among_second < 0 ? among_second : first->size() + among_second;
}

int JobCensus::senders(std::uint32_t context) {
  const comm::Communicator* const comm = find(context);
  if (comm == nullptr) return 0;
  const auto [first, second] = senders_of(*comm, purpose_of(context));
  return first->size() + (second == nullptr ? 0 : second->size());
}

}  // namespace bowline::api
