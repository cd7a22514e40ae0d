// SPDX-License-Identifier: BSD-3-Clause
// JobCensus: what the engines ask about the other processes of the job when they look for those that have ended.
#pragma once

#include <cstdint>
#include <functional>

#include "api/transports.hpp"
#include "comm/communicator.hpp"
#include "comm/communicators.hpp"
#include "proto/census.hpp"

namespace bowline::api {

class JobCensus final : public proto::Census {
 public:
  /// `lost` hears of every process that is lost, under the lock of a lane. All must outlive the census.
  JobCensus(comm::Communicator& world, comm::Communicator& self, comm::Communicators& others, Transports& transports,
            std::function<void(const Error&)> lost);

  int world_rank(std::uint32_t context, int source) override;
  int source(std::uint32_t context, int world_rank) override;
  int senders(std::uint32_t context) override;
  bool approachable(int world_rank) override { return transports_.approachable(world_rank); }
  void lost(int, const Error& why) override { lost_(why); }

 private:
  comm::Communicator* find(std::uint32_t context) noexcept;

  comm::Communicator& world_;
  comm::Communicator& self_;
  comm::Communicators& others_;
  Transports& transports_;
  std::function<void(const Error&)> lost_;
};

}  // namespace bowline::api
