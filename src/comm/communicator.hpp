// SPDX-License-Identifier: BSD-3-Clause
// Communicator: a group of processes with contexts of its own, so that its messages meet no others.
#pragma once

#include <cstdint>
#include <string>

#include "coll/team.hpp"
#include "comm/errhandler.hpp"
#include "proto/engine.hpp"

namespace bowline::comm {

/// Matching contexts come in pairs: point-to-point messages use the even one, collectives the odd one.
constexpr std::uint32_t point_to_point_context(std::uint32_t id) noexcept {
  return 2 * id;
}
constexpr std::uint32_t collective_context(std::uint32_t id) noexcept {
  return 2 * id + 1;
}

class Communicator {
 public:
  /// `id` is the same in all members and names no other communicator of theirs.
  Communicator(std::string name, std::uint32_t id, proto::Engine& engine, coll::RankMap ranks, int rank, int size,
               bool crowded);

  int rank() const noexcept { return team_.rank; }
  int size() const noexcept { return team_.size; }
  const std::string& name() const noexcept { return name_; }
  /// The context of point-to-point messages.
  std::uint32_t context() const noexcept { return context_; }
  proto::Engine& engine() const noexcept { return team_.engine; }
  int world_rank(int rank) const noexcept { return team_.ranks.world(rank); }
  coll::Team& team() noexcept { return team_; }

  ErrorHandler& error_handler() const noexcept { return *error_handler_; }
  void set_error_handler(ErrorHandler& handler) noexcept { error_handler_ = &handler; }

 private:
  coll::Team team_;
  std::uint32_t context_;
  ErrorHandler* error_handler_ = &ErrorHandler::are_fatal();
  std::string name_;
};

}  // namespace bowline::comm
