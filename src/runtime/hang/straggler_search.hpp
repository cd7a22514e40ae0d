// SPDX-License-Identifier: BSD-3-Clause
// StragglerSearch: a rank that has waited for long asks the rank that it waits for what that one does, then the rank
// that one waits for, until it comes to a rank that does not wait. It tells the user: a suspicion, which ends nothing,
// because that rank may compute. For jobs whose launcher has made no wait board; mpiexec sees all ranks
// (launcher/hang/straggler_watch.hpp).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/waits/wait_slot.hpp"
#include "proto/services/service.hpp"

namespace bowline::runtime {

namespace straggler_kind {
inline constexpr proto::Kind inquiry{69};  ///< what do you do?
inline constexpr proto::Kind doing{70};    ///< body: what the rank waits for, in words
}  // namespace straggler_kind

/// The service of lane 0.
class StragglerSearch final : public proto::Service {
 public:
  using Clock = std::chrono::steady_clock;

  StragglerSearch(proto::Engine& engine, int rank, std::string host);

  /// Advances the search, or begins one. To be called from time to time while this rank waits, with what it shows.
  /// Throws Error.
  void look(const WaitSlot::Line& line, Clock::time_point now);

 private:
  struct Inquiry {
    std::uint64_t number;
  };
  struct Doing {
    std::uint64_t number;
    std::int32_t awaited;  ///< the rank for which the rank waits; negative: it waits for none or for several
    std::uint32_t waits;
    double seconds;
  };
  struct Search {
    std::int64_t since;                         ///< the wait of this rank for which it searches
    std::uint64_t number;                       ///< in the messages
    std::vector<int> chain;                     ///< each waits for the next one
    std::vector<std::string> lines;             ///< what they wait for
    std::optional<Clock::time_point> asked_at;  ///< when the last one was asked; nothing: not yet
  };

  static std::span<const proto::MessageKind> message_kinds() noexcept;
  void inquiry_arrived(const proto::Arrival& message);
  void doing_arrived(const proto::Arrival& message);
  bool may_begin(const WaitSlot::Line& line, Clock::time_point now) const;
  void tell_user(const std::string& last);

  const int rank_;
  const std::string host_;
  Clock::duration after_;
  std::uint64_t searches_ = 0;
  std::optional<Search> search_;
  std::int64_t searched_ = 0;  ///< the wait for which another rank has searched, or in which a search has ended
};

}  // namespace bowline::runtime
