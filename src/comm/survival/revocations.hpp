// SPDX-License-Identifier: BSD-3-Clause
// Revocations: communicators whose operations fail at all members because one of them has called MPIX_Comm_revoke.
//
// A member that learns of a revocation first tells others and then interrupts its own operations. It tells the members
// at distances of powers of two, in both directions (a binomial graph; Bouteiller et al., EuroMPI 2015). So all living
// members learn of it although the caller fails in the middle, unless all neighbours of a member fail as well; those
// that call an operation of the communicator then wait for failed members only.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/survival/deliveries.hpp"
#include "proto/services/service.hpp"

namespace bowline::comm {

class Revocations final : public proto::Service {
 public:
  /// `find` returns the communicator with the index of a context, also one that the program has freed; nullptr if there
  /// is none here.
  Revocations(proto::Engine& engine, std::function<Communicator*(std::uint32_t context)> find);

  /// Revokes a communicator of this lane. Does nothing if it is revoked already.
  void revoke(Communicator& comm);
  bool has(const Communicator& comm) const noexcept;

  void checked() noexcept override;
  void forget(std::uint32_t context) noexcept override;

 private:
  static std::span<const proto::MessageKind> message_kinds() noexcept;
  void revoke_arrived(const proto::Arrival& message);
  void spread(const Communicator& comm);
  Communicator* with_context(std::uint32_t context) const;

  std::function<Communicator*(std::uint32_t)> find_;
  Deliveries deliveries_;
  std::vector<std::uint32_t> revoked_;  ///< contexts of communicators that exist here
  std::vector<std::uint32_t> early_;    ///< contexts of communicators that do not exist here, not yet or not any more
};

}  // namespace bowline::comm
