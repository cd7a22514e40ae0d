// SPDX-License-Identifier: BSD-3-Clause
#include "comm/survival/revocations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "comm/survival/agreements.hpp"

namespace bowline::comm {
namespace {

struct RevokePrefix {
  std::uint32_t context;
};

/// How many revocations are kept of communicators that do not exist here. Most of these have been freed here.
constexpr std::size_t most_unknown = 256;

std::string name_of(const Communicator& comm) {
  return comm.name().empty() ? "the communicator" : comm.name();
}

}  // namespace

std::span<const proto::MessageKind> Revocations::message_kinds() noexcept {
  static constexpr std::array kinds{
      proto::MessageKind{survival_kind::revoke,
                         {"revoke", sizeof(RevokePrefix), 0, false},
                         &proto::call<Revocations, &Revocations::revoke_arrived>},
  };
  return kinds;
}

Revocations::Revocations(proto::Engine& engine, std::function<Communicator*(std::uint32_t context)> find)
    : Service(engine, message_kinds()), find_(std::move(find)), deliveries_(*this, engine) {}

bool Revocations::has(const Communicator& comm) const noexcept {
  return std::ranges::find(revoked_, comm.context()) != revoked_.end();
}

void Revocations::revoke(Communicator& comm) {
  if (has(comm)) return;
  revoked_.push_back(comm.context());
  spread(comm);
  engine_.interruptions().interrupt(
      comm.context(),
      Error(ErrorClass::revoked,
            fmt::format("{} is revoked: a member has called MPIX_Comm_revoke; agree on what to do next, "
                        "and make another one with MPIX_Comm_shrink",
                        name_of(comm))));
}

void Revocations::spread(const Communicator& comm) {
  const Group& members = comm.everyone();
  const std::int64_t size = members.size();
  const std::int64_t own = comm.team().rank;
  std::set<int> neighbours;
  for (std::int64_t distance = 1; distance < size; distance *= 2) {
    neighbours.insert(static_cast<int>((own + distance) % size));
    neighbours.insert(static_cast<int>((own - distance + size) % size));
  }
  const RevokePrefix prefix{comm.context()};
  for (const int member : neighbours)
    deliveries_.send(members.process(member), survival_kind::revoke, proto::as_prefix(prefix));
}

/// An earlier or later communicator with the same index is another one.
Communicator* Revocations::with_context(std::uint32_t context) const {
  Communicator* const comm = find_(context);
  return comm != nullptr && proto::of_one_communicator(comm->context(), context) ? comm : nullptr;
}

void Revocations::revoke_arrived(const proto::Arrival& message) {
  const std::uint32_t context = message.read<RevokePrefix>().context;
  engine_.liveness().check_soon();
  if (Communicator* const comm = with_context(context)) return revoke(*comm);
  if (std::ranges::find(early_, context) != early_.end()) return;
  if (early_.size() == most_unknown) early_.erase(early_.begin());
  early_.push_back(context);
}

/// Members of a communicator that is being made may revoke it before it exists here.
void Revocations::checked() noexcept {
  for (std::size_t i = 0; i < early_.size(); ++i) {
    if (Communicator* const comm = with_context(early_[i])) {
      early_.erase(early_.begin() + static_cast<std::ptrdiff_t>(i--));
      revoke(*comm);
    }
  }
}

void Revocations::forget(std::uint32_t context) noexcept {
  std::erase(revoked_, context);
}

}  // namespace bowline::comm
