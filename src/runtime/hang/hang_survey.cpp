// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hang/hang_survey.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/waits/hang_tunables.hpp"
#include "proto/engine.hpp"
#include "runtime/hang/survey_page.hpp"
#include "runtime/place_of_call.hpp"
#include "runtime/rank_tree.hpp"
#include "runtime/runtime.hpp"

namespace bowline::runtime {
namespace {

constexpr std::uint32_t version_of_two_lines = 4;  // a version grows by 2 with each line
constexpr std::size_t most_groups = 40;            // that a rank passes on
constexpr std::chrono::seconds shortest_pause{1}, longest_pause{60};
constexpr int status_deadlock = 1;

constexpr std::size_t longest_group = proto::longest_told - sizeof(Question);

}  // namespace

std::span<const proto::MessageKind> HangSurvey::message_kinds() noexcept {
  static constexpr std::array kinds{
      proto::MessageKind{hang_kind::question,
                         {"hang_question", sizeof(Question), 0, false},
                         &proto::call<HangSurvey, &HangSurvey::question_arrived>},
      proto::MessageKind{hang_kind::answer,
                         {"hang_answer", sizeof(Answer), 0, false},
                         &proto::call<HangSurvey, &HangSurvey::answer_arrived>},
      proto::MessageKind{hang_kind::group,
                         {"hang_group", sizeof(Question), longest_group, false},
                         &proto::call<HangSurvey, &HangSurvey::group_arrived>},
  };
  return kinds;
}

HangSurvey::HangSurvey(proto::Engine& engine, int rank, std::string host)
    : Service(engine, message_kinds()), rank_(rank), host_(std::move(host)), after_(hang_seconds.value()) {}

// ---- the waiting thread

void HangSurvey::look(const WaitSlot::Line& line, Clock::time_point now) {
  if (over_) return;
  if (line.since != wait_) {
    wait_ = line.since;
    pause_ = shortest_pause;
    next_ = {};
  }
  if (part_ && !part_->answered) return advance(line, now);
  if (!may_begin(line, now)) return;
  part_.emplace(Part{.question = {.root = rank_, .survey = ++surveys_}});
  begin_round(Round::first_look);
  advance(line, now);
}

/// The lowest rank that waits long enough begins, because each higher one waits longer for a question.
bool HangSurvey::may_begin(const WaitSlot::Line& line, Clock::time_point now) const {
  const Clock::duration turn = after_ * (rank_ + 1);
  const Clock::time_point since{std::chrono::nanoseconds(line.since)};
  return waits_for_ranks(line, now) && now >= next_ && now - std::max(since, last_question_) >= turn;
}

/// Whether this rank has waited long enough, and only ranks of this job can end the wait.
bool HangSurvey::waits_for_ranks(const WaitSlot::Line& line, Clock::time_point now) const {
  const Clock::time_point since{std::chrono::nanoseconds(line.since)};
  if (line.state != WaitSlot::State::waiting || now - since < after_) return false;
  return line.targets.only_of_job(engine_.ranks());
}

void HangSurvey::begin_round(Round round) {
  Part& part = *part_;
  part.question.round = round;
  part.answered = part.refused = false;
  part.messages = 0;
  const int ranks = engine_.ranks();
  const int position = (rank_ - part.question.root + ranks) % ranks;
  part.unasked = RankTree::around(position, ranks).children;
  part.open.clear();
}

void HangSurvey::advance(const WaitSlot::Line& line, Clock::time_point now) {
  Part& part = *part_;
  if (part.question.round != Round::page && (part.refused || !waits_for_ranks(line, now))) return refuse(now);
  if (part.question.round == Round::second_look) {
    if (line.since != part.seen.since || events(line) != part.seen.events) return refuse(now);
    if (line.version - part.seen.version < version_of_two_lines) return;
  }
  while (!part.unasked.empty()) {
    ask_branch(part.unasked.back());
    part.unasked.pop_back();
  }
  if (part.question.round == Round::page && !std::exchange(part.described, true)) describe_myself(line, now);
  if (part.open.empty()) complete(line);
}

/// Asks the rank at this position; those below it if it has ended, which it does not before all have called
/// MPI_Finalize, unless sessions go on. Throws Error.
void HangSurvey::ask_branch(int position) {
  Part& part = *part_;
  const int rank = rank_at(position);
  proto::Peer& peer = engine_.peer(rank);
  if (peer.exits()) {
    if (part.question.round == Round::page) part.groups.add(has_ended, false, {.ranks = {rank}, .host = {}});
    for (const int below : RankTree::around(position, engine_.ranks()).children) ask_branch(below);
    return;
  }
  if (peer.lost()) {
    part.refused = true;
    return;
  }
  part.open.push_back(rank);
  tell_counted(peer, hang_kind::question, proto::as_prefix(part.question));
}

/// All ranks below this one have answered.
void HangSurvey::complete(const WaitSlot::Line& line) {
  Part& part = *part_;
  if (part.question.round == Round::first_look) {
    part.seen = {.since = line.since, .events = events(line), .version = line.version};
    part.messages += line.activity.delivered - counted_received_;
  } else if (part.question.round == Round::second_look) {
    part.messages += line.activity.sent - counted_sent_;
  }
  part.asker >= 0 ? answer(true) : complete_at_root();
}

void HangSurvey::complete_at_root() {
  Part& part = *part_;
  switch (part.question.round) {
    case Round::first_look:
      part.received = part.messages;
      return begin_round(Round::second_look);
    case Round::second_look:
      return part.messages == part.received ? begin_round(Round::page) : refuse(Clock::now());
    case Round::page:
      return say_verdict();
  }
}

void HangSurvey::describe_myself(const WaitSlot::Line& line, Clock::time_point now) {
  const std::string place = line.returns_to == 0 ? std::string() : place_of_call();
  const Clock::time_point since{std::chrono::nanoseconds(line.since)};
  const double seconds = std::chrono::duration<double>(now - since).count();
  part_->groups.add(place.empty() ? line.text : fmt::format("{} ({})", line.text, place), true,
                    {.ranks = {rank_},
                     .host = host_,
                     .shortest = seconds,
                     .longest = seconds,
                     .awaited = line.targets.indispensable()});
}

/// Answers for this rank and those below it. `waits`: all of them do what the round demands.
void HangSurvey::answer(bool waits) {
  Part& part = *part_;
  proto::Peer& asker = engine_.peer(part.asker);
  part.answered = true;
  if (waits && part.question.round == Round::page) tell_groups(asker);
  const Answer answer{
      .question = part.question, .messages = part.messages, .waits = waits ? 1U : 0U, .left_out = part.left_out};
  tell_counted(asker, hang_kind::answer, proto::as_prefix(answer));
}

/// There is no deadlock, or not yet.
void HangSurvey::refuse(Clock::time_point now) {
  if (part_->asker >= 0) return answer(false);
  part_.reset();
  next_ = now + pause_;
  pause_ = std::min(2 * pause_, longest_pause);
}

void HangSurvey::tell_groups(proto::Peer& to) {
  Part& part = *part_;
  std::size_t told = 0;
  part.groups.for_each([&](const std::string& words, bool wait, const WaitGroups::Group& group) {
    if (told++ < most_groups) {
      tell_counted(to, hang_kind::group, proto::as_prefix(part.question), pack({words, wait, group}, longest_group));
    } else {
      part.left_out += static_cast<std::uint32_t>(group.count());
    }
  });
}

void HangSurvey::say_verdict() {
  over_ = true;
  const Part& part = *part_;
  const bool ends = hang.value() == "end";
  const std::string page = deadlock_page(part.groups, engine_.ranks(), part.left_out, ends);
  std::fflush(nullptr);  // shows the program's output before the page
  std::fputs(page.c_str(), stderr);
  std::fflush(stderr);
  if (ends) this_process().abort_job(status_deadlock, "the job is ended because its ranks wait for each other");
}

// ---- messages

/// The question to which a message belongs. Throws Error if there is no such question.
Question HangSurvey::question_of(const proto::Arrival& message) {
  if (engine_.peer(message.origin).endpoint->limits().travels) ++counted_received_;
  ++arrivals_;
  Question question;
  std::memcpy(&question, message.prefix.data(), sizeof question);
  const bool known = question.round >= Round::first_look && question.round <= Round::page;
  if (known && question.root >= 0 && question.root < engine_.ranks()) return question;
  throw message.wrong(
      fmt::format("it speaks of rank {} and round {}", question.root, static_cast<std::uint32_t>(question.round)));
}

void HangSurvey::question_arrived(const proto::Arrival& message) {
  const Question question = question_of(message);
  if (question.root == rank_) throw message.wrong("it comes back to the rank that has asked");
  last_question_ = Clock::now();
  const auto says_no = [&] {
    tell_counted(engine_.peer(message.origin), hang_kind::answer, proto::as_prefix(Answer{.question = question}));
  };
  if (question.round == Round::first_look) {
    if (part_ && !part_->answered && part_->question.root < question.root) return says_no();
    part_.emplace(Part{.question = question});
  } else {
    Question before = question;
    before.round = static_cast<Round>(static_cast<std::uint32_t>(question.round) - 1);
    if (!part_ || !part_->answered || part_->question != before) return says_no();
  }
  part_->question = question;
  part_->asker = message.origin;
  begin_round(question.round);
  if (ShownWait::line().state != WaitSlot::State::waiting) answer(false);
}

void HangSurvey::answer_arrived(const proto::Arrival& message) {
  const Question question = question_of(message);
  const auto answer = message.read<Answer>();
  if (!part_ || part_->answered || part_->question != question) return;  // an answer to a question of long ago
  if (std::erase(part_->open, message.origin) == 0) throw message.wrong("nobody has asked its sender");
  part_->messages += answer.messages;
  part_->left_out += answer.left_out;
  part_->refused = part_->refused || answer.waits == 0;
}

void HangSurvey::group_arrived(const proto::Arrival& message) {
  const Question question = question_of(message);
  if (!part_ || part_->answered || part_->question != question) return;
  const std::optional<Described> group = unpack(message.body, engine_.ranks());
  if (!group) throw message.wrong("its ranks cannot be read");
  part_->groups.add(group->words, group->wait, group->group);
}

void HangSurvey::unheard(const proto::Peer& peer, const Failure&) noexcept {
  if (part_ && std::ranges::find(part_->open, peer.rank) != part_->open.end()) part_->refused = true;
}

int HangSurvey::rank_at(int position) const noexcept {
  return (part_->question.root + position) % engine_.ranks();
}

void HangSurvey::tell_counted(proto::Peer& peer, proto::Kind kind, std::span<const std::byte> prefix,
                              std::span<const std::byte> body) {
  if (peer.endpoint->limits().travels) ++counted_sent_;
  tell(peer, kind, {}, prefix, body);
}

}  // namespace bowline::runtime
