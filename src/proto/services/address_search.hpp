// SPDX-License-Identifier: BSD-3-Clause
// AddressSearch: asks other processes for the address of a rank for which the launcher must not be asked.
//
// This service exists because of one fault of Slurm's PMIx server. Asked for a rank that was alone on its node and has
// ended, that server never answers, and does nothing else for half a minute. If it cannot reach the rank's node for a
// while, Slurm even ends the step. A process that looks after a silent rank therefore asks processes only: each knows
// the address of the next rank from the start, so the nearest reachable rank before the silent one may know its
// address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "proto/services/service.hpp"

namespace bowline::proto {

/// What a process knows of the addresses of its job's ranks. Called under the lock of the lane.
class AddressBook {
 public:
  /// The rank to ask now for the address of this rank; negative if none.
  virtual int informant(int rank) = 0;
  /// The address of this rank for engines of this lane, as an answer to another rank; empty if it is not known.
  virtual std::vector<std::byte> address(int rank) = 0;
  /// Records the address of this rank, which another rank has sent.
  virtual void learned(int rank, std::span<const std::byte> address) = 0;

 protected:
  ~AddressBook() = default;
};

/// The kinds of messages of the search.
namespace address_kind {
inline constexpr Kind where_is{56};  ///< requests the address of a rank; a process that does not know it sends nothing
inline constexpr Kind address{57};   ///< body: the address
}  // namespace address_kind

/// Prefix of both kinds of messages.
struct Sought {
  std::int64_t rank;  ///< world rank
};

class AddressSearch final : public Service {
 public:
  /// `book` must outlive the engine.
  AddressSearch(Engine& engine, AddressBook& book);

  /// Asks another process for the address of this rank, if the book knows one to ask. Throws Error.
  void seek(int rank);

 private:
  static std::span<const MessageKind> message_kinds() noexcept;
  void where_is_arrived(const Arrival& message);
  void address_arrived(const Arrival& message);
  int sought_by(const Arrival& message) const;
  bool tell_where(int asker, int rank);

  AddressBook& book_;
  std::vector<std::pair<int, int>> askers_;  ///< a rank of unknown address, and the rank that asked for it
};

}  // namespace bowline::proto
