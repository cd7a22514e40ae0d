// SPDX-License-Identifier: BSD-3-Clause
// JobDirectory: the process directory of a lane. Its engine uses it to find processes of the job that have ended.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/communicators.hpp"
#include "comm/survival/failed_processes.hpp"
#include "proto/engine.hpp"
#include "proto/liveness/process_directory.hpp"
#include "proto/services/address_search.hpp"
#include "runtime/transports.hpp"

namespace bowline::runtime {

/// The name of the communicator with this context for the user. `found`: a communicator that the program has made, and
/// perhaps freed.
std::string communicator_in_words(std::uint32_t context, const comm::Communicator* found);

class JobDirectory final : public proto::ProcessDirectory, private proto::AddressBook {
 public:
  /// Makes itself the directory of the lane's engine. `lost` is called for every lost process of this job, under the
  /// lock of the lane. `failed` collects them, and those of other jobs. All arguments must outlive the directory, and
  /// the directory must outlive the engine's use.
  JobDirectory(proto::Engine& engine, unsigned lane, comm::Communicator& world, comm::Communicator& self,
               comm::Communicators& others, Transports& transports, comm::FailedProcesses& failed,
               std::function<void(const Error&)> lost);

  /// The communicator with the index of this context id, also if the program has freed it; nullptr if there is none, or
  /// processes without a common communicator use the context.
  comm::Communicator* find(std::uint32_t context) noexcept;

  int process(std::uint32_t context, int source) override;
  std::string communicator(std::uint32_t context) override { return communicator_in_words(context, find(context)); }
  int source(std::uint32_t context, int process) override;
  bool sends_here(std::uint32_t context) override;
  int senders(std::uint32_t context) override;
  void seek(int process) override { search_.seek(process); }
  bool approachable(int process) override {
    return transports_.is_remote(process) && transports_.remote_addresses().known(lane_, process);
  }
  bool has_left(int process) override;
  bool is_lost(int process) override;
  bool any_cut_off() override;
  std::string why_cut_off(int process) override {
    return transports_.is_cut_off(process) ? NodeWatch::why() : std::string();
  }
  bool keeps_going() const override;
  std::string loss(int process) override;
  bool has_sessions() const noexcept override;
  bool outlives_finalize(std::uint32_t context) override;
  std::optional<std::chrono::duration<double>> time_limit(std::uint32_t context) override;
  int unacknowledged(std::uint32_t context) override;
  void interrupted(std::uint32_t context, const Failure& why) noexcept override;
  void lost(int process, const Error& why) noexcept override;

 private:
  using Times = std::map<int, std::chrono::steady_clock::time_point>;  ///< by rank

  int informant(int rank) override;
  std::vector<std::byte> address(int rank) override;
  void learned(int rank, std::span<const std::byte> address) override {
    transports_.remote_addresses().learned(lane_, rank, address);
  }

  static bool is_time(Times& latest, int rank, std::chrono::milliseconds interval);

  proto::AddressSearch& search_;
  unsigned lane_;
  comm::Communicator& world_;
  comm::Communicator& self_;
  comm::Communicators& others_;
  Transports& transports_;
  comm::FailedProcesses& failed_;
  std::function<void(const Error&)> lost_;
  Times asked_;            ///< when another process was last asked for the rank's address
  Times looked_;           ///< when it was last checked whether the rank has left
  Times looked_for_loss_;  ///< when it was last checked whether the rank is lost
};

}  // namespace bowline::runtime
