// SPDX-License-Identifier: BSD-3-Clause
// Agreements: the uniform agreements of all communicators of a lane, and their messages.
//
// The agreements of a communicator are numbered, and a process takes part in the next one only when it has the result
// of the last. So whoever votes in agreement n has the result of agreement n - 1, and a process keeps the latest result
// only, for members that have not got it because another member failed. It keeps it when the communicator is freed,
// too.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "comm/group.hpp"
#include "comm/survival/deliveries.hpp"
#include "comm/survival/uniform_agreement.hpp"
#include "comm/survival/vote.hpp"
#include "proto/services/service.hpp"

namespace bowline::comm {

/// The kinds of messages of this folder.
namespace survival_kind {
inline constexpr proto::Kind ranks{72};      ///< some ranks of a list in the vote that follows
inline constexpr proto::Kind agreement{73};  ///< a vote, a result or a question; body: the offer, if there is one
inline constexpr proto::Kind revoke{74};
}  // namespace survival_kind

/// A communicator as its members see it: of an intercommunicator the members of both groups.
struct Membership {
  std::uint32_t context;
  const Group& members;  ///< in an order that all share
  int rank;              ///< of this process among them
};

class Agreements final : public proto::Service {
 public:
  class Participant {
   public:
    /// The members have agreed. Called under the lock of the lane, during join() or progress. It may join again.
    virtual void agreed(const Vote& result) noexcept = 0;

   protected:
    ~Participant() = default;
  };

  explicit Agreements(proto::Engine& engine);

  /// This process takes part in the next agreement of the communicator. Each member brings its vote without the failed
  /// members, which are added when the agreement begins. `participant` must live until agreed() is called.
  void join(const Membership& comm, Vote own, Participant& participant);
  /// The members that must act before the participant's agreement ends, by their process indices.
  std::vector<int> awaited(std::uint32_t context) const;

  bool awaits(const proto::Peer& peer) const noexcept override;
  void for_each_waiting(const std::function<void(const proto::Match&, int process)>& action) override;
  void unheard(const proto::Peer& peer, const Failure& why) noexcept override;
  void forget(std::uint32_t context) noexcept override;

 private:
  using Message = UniformAgreement::Message;
  struct Joining {
    Vote own;
    Participant* participant;
  };
  struct Early {
    int process;
    std::uint32_t number;
    Message message;
    Vote vote;
  };
  /// The agreements of one communicator.
  struct Series {
    std::uint32_t context;
    Group members{};
    int rank = -1;  ///< negative until this process has joined an agreement
    std::uint32_t number = 0;
    std::unique_ptr<UniformAgreement> current{};  ///< agreement `number`, until it has a result
    Participant* participant = nullptr;
    std::deque<Joining> joining{};
    std::uint32_t latest_number = 0;
    std::optional<Vote> latest{};  ///< the result of agreement `latest_number`
    std::vector<Early> early{};    ///< messages about agreements that this process has not joined
  };
  /// A vote whose ranks arrive before it.
  struct Incomplete {
    int process;
    std::uint32_t context;
    Vote vote;
  };

  static std::span<const proto::MessageKind> message_kinds() noexcept;
  void ranks_arrived(const proto::Arrival& message);
  void agreement_arrived(const proto::Arrival& message);

  Series& series(std::uint32_t context);
  Vote take_incomplete(int process, std::uint32_t context);
  void send(const Series& series, std::uint32_t number, int to, Message message, const Vote& vote);
  void send_ranks(const Series& series, int process, std::uint32_t list, std::span<const int> ranks);
  void handle(Series& series, Early message);
  void begin(Series& series, Joining joining);
  void end(Series& series);
  void settle();

  Deliveries deliveries_;
  std::map<std::uint32_t, Series> series_;  ///< by context
  std::vector<Series*> under_way_;          ///< those with an agreement that has no result yet
  std::deque<std::uint32_t> freed_;         ///< contexts of freed communicators that still have a series
  std::vector<Incomplete> incomplete_;
  std::vector<int> lost_;  ///< processes whose loss the agreements do not know yet
  bool settling_ = false;
};

}  // namespace bowline::comm
