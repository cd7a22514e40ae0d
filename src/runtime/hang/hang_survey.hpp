// SPDX-License-Identifier: BSD-3-Clause
// HangSurvey: the ranks of a job find out by messages whether they wait for each other for ever. For jobs whose
// launcher has made no wait board (Slurm, PRRTE, none); mpiexec judges by itself (launcher/hang/hang_watch.hpp).
//
// The first rank that has waited long enough is the root of a survey: it asks the others, along a binary tree. A rank
// that waits for other ranks only asks the ranks below it, and answers when all of them have answered. A rank that does
// anything else says so at once, or says nothing because it makes no progress. So a rank that computes, or that waits
// for a file, costs the others three messages at most, and never a verdict.
//
// Two rounds prove a deadlock. In the first one each rank waits, and tells how many messages it has received. In the
// second one nothing has happened to it since, although it has looked for messages twice, and it tells how many
// messages it has sent. Whatever was under way at once, as in shared memory, would have been found. Of the messages
// that may be under way for long, as many have been received as were sent later: none is under way. (Mattern,
// "Algorithms for distributed termination detection", 1987, four counter method.) The messages of the survey itself do
// not count.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/waits/wait_board.hpp"
#include "proto/services/service.hpp"
#include "runtime/hang/hang_wire.hpp"

namespace bowline::runtime {

/// The service of lane 0.
class HangSurvey final : public proto::Service {
 public:
  using Clock = std::chrono::steady_clock;

  HangSurvey(proto::Engine& engine, int rank, std::string host);

  /// Advances the survey, or begins one. Ends the job if a deadlock is proven, and the user wants that. To be called
  /// each time this rank has written what it waits for. Throws Error.
  void look(const WaitSlot::Line& line, Clock::time_point now);

  void unheard(const proto::Peer& peer, const Failure& why) noexcept override;

 private:
  /// What this rank has seen of itself in the first round.
  struct Seen {
    std::int64_t since = 0;
    std::uint64_t events = 0;
    std::uint32_t version = 0;
  };
  /// This rank's part in a survey.
  struct Part {
    Question question;
    int asker = -1;  ///< -1: this rank is the root
    bool answered = false;
    bool refused = false;           ///< a rank below does something
    std::vector<int> unasked = {};  ///< positions in the tree
    std::vector<int> open = {};     ///< ranks that have not answered yet
    std::uint64_t messages = 0;     ///< of this rank and those below
    std::uint64_t received = 0;     ///< at the root: all messages of the first round
    std::uint32_t left_out = 0;
    Seen seen = {};
    WaitGroups groups = {};
    bool described = false;  ///< this rank is among the groups
  };

  static std::span<const proto::MessageKind> message_kinds() noexcept;
  void question_arrived(const proto::Arrival& message);
  void answer_arrived(const proto::Arrival& message);
  void group_arrived(const proto::Arrival& message);
  Question question_of(const proto::Arrival& message);

  bool may_begin(const WaitSlot::Line& line, Clock::time_point now) const;
  bool waits_for_ranks(const WaitSlot::Line& line, Clock::time_point now) const;
  void begin_round(Round round);
  void advance(const WaitSlot::Line& line, Clock::time_point now);
  void describe_myself(const WaitSlot::Line& line, Clock::time_point now);
  void ask_branch(int position);
  void complete(const WaitSlot::Line& line);
  void complete_at_root();
  void answer(bool waits);
  void refuse(Clock::time_point now);
  void tell_groups(proto::Peer& to);
  void say_verdict();

  int rank_at(int position) const noexcept;
  std::uint64_t events(const WaitSlot::Line& line) const noexcept { return line.activity.events - arrivals_; }
  void tell_counted(proto::Peer& peer, proto::Kind kind, std::span<const std::byte> prefix,
                    std::span<const std::byte> body = {});

  const int rank_;
  const std::string host_;
  const std::chrono::seconds after_;
  std::optional<Part> part_;
  bool over_ = false;  ///< a verdict has been said
  std::uint32_t surveys_ = 0;
  std::int64_t wait_ = 0;              ///< the wait in which this rank has been a root: when it began
  std::chrono::seconds pause_{1};      ///< between two surveys in that wait
  Clock::time_point next_{};           ///< when this rank may be a root again
  Clock::time_point last_question_{};  ///< when another rank has asked
  // The messages of surveys at this rank: all that have arrived, and those that devices count (Device::traffic()).
  std::uint64_t arrivals_ = 0;
  std::uint64_t counted_sent_ = 0;
  std::uint64_t counted_received_ = 0;
};

}  // namespace bowline::runtime
