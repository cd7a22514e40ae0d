// SPDX-License-Identifier: BSD-3-Clause
// Manager: the connection manager of one device. It listens, and hands events to the queue pairs concerned.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>

#include "verbs/connection/connection_manager.hpp"
#include "verbs/managed/managed_pair.hpp"
#include "verbs/managed/rdmacm_library.hpp"

namespace bowline::verbs {

class Manager final : public ConnectionManager {
 public:
  Manager(Adapter& adapter, std::uint64_t cookie);
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  int descriptor() const noexcept override { return channel_->fd; }
  const SocketAddress& place() const noexcept override { return place_; }
  std::unique_ptr<QueuePair> make_pair(Connection& connection, ibv_cq* completions, ibv_srq* receives) override;
  void progress() noexcept override;

  // ---- for its queue pairs

  const Adapter& adapter() const noexcept { return adapter_; }
  std::uint64_t cookie() const noexcept { return cookie_; }
  void add(ManagedPair& pair, std::uint32_t link) { pairs_.insert_or_assign(link, &pair); }
  void remove(std::uint32_t link) noexcept { pairs_.erase(link); }
  /// An identifier whose events are for `pair`. Throws Error.
  ManagerId make_own_id(ManagedPair& pair) { return make_id(channel_, &pair); }

 private:
  void handle(rdma_cm_event& event) noexcept;
  void answer(ManagerId id, const std::optional<ConnectRequest>& request) noexcept;

  Adapter& adapter_;
  std::uint64_t cookie_;
  SocketAddress place_;
  EventChannel channel_;
  ManagerId listener_;
  std::unordered_map<std::uint32_t, ManagedPair*> pairs_;  ///< by the numbers of their connections
};

}  // namespace bowline::verbs
