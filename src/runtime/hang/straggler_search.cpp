// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/hang/straggler_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include "base/waits/hang_tunables.hpp"
#include "base/waits/wait_board.hpp"
#include "proto/engine.hpp"
#include "runtime/place_of_call.hpp"

namespace bowline::runtime {
namespace {

constexpr std::chrono::seconds until_silent{5};  // a rank that does not answer for so long makes no progress
constexpr int factor = 10;                       // until the next search
constexpr std::size_t most_lines = 8;            // of a chain

double seconds_of(const WaitSlot::Line& line, StragglerSearch::Clock::time_point now) {
  return std::chrono::duration<double>(now - StragglerSearch::Clock::time_point(std::chrono::nanoseconds(line.since)))
      .count();
}

}  // namespace

std::span<const proto::MessageKind> StragglerSearch::message_kinds() noexcept {
  static constexpr std::array kinds{
      proto::MessageKind{straggler_kind::inquiry,
                         {"inquiry", sizeof(Inquiry), 0, false},
                         &proto::call<StragglerSearch, &StragglerSearch::inquiry_arrived>},
      proto::MessageKind{straggler_kind::doing,
                         {"doing", sizeof(Doing), proto::longest_told - sizeof(Doing), false},
                         &proto::call<StragglerSearch, &StragglerSearch::doing_arrived>},
  };
  return kinds;
}

StragglerSearch::StragglerSearch(proto::Engine& engine, int rank, std::string host)
    : Service(engine, message_kinds()),
      rank_(rank),
      host_(std::move(host)),
      after_(std::chrono::seconds(suspicion_factor * hang_seconds.value())) {}

void StragglerSearch::look(const WaitSlot::Line& line, Clock::time_point now) {
  if (search_ && search_->since != line.since) search_.reset();
  if (!search_) {
    if (!may_begin(line, now)) return;
    search_.emplace(Search{.since = line.since, .number = ++searches_, .chain = {rank_, line.targets.indispensable()}});
    const std::string place = line.returns_to == 0 ? std::string() : place_of_call();
    search_->lines.push_back(fmt::format("rank {} on {} has waited for {:.0f} s: {}{}", rank_, host_,
                                         seconds_of(line, now), line.text,
                                         place.empty() ? "" : fmt::format(" ({})", place)));
  }
  const int last = search_->chain.back();
  if (!search_->asked_at) {
    tell(engine_.peer(last), straggler_kind::inquiry, {}, proto::as_prefix(Inquiry{search_->number}));
    search_->asked_at = now;
  } else if (now - *search_->asked_at >= until_silent) {
    tell_user(fmt::format("rank {} has not answered for {} s: it computes or is stopped", last, until_silent.count()));
  }
}

/// The lowest rank that waits long enough begins, because each higher one waits longer for an inquiry.
bool StragglerSearch::may_begin(const WaitSlot::Line& line, Clock::time_point now) const {
  const int awaited = line.targets.indispensable();
  if (line.state != WaitSlot::State::waiting || line.since == searched_) return false;
  if (awaited < 0 || awaited == rank_ || awaited >= engine_.ranks()) return false;
  const Clock::time_point since{std::chrono::nanoseconds(line.since)};
  return now - since >= after_ * (rank_ + 1);
}

/// The search has come to a rank that does not wait.
void StragglerSearch::tell_user(const std::string& last) {
  after_ *= factor;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(after_).count();
  std::string page;
  const std::vector<std::string>& lines = search_->lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == most_lines) {
      page += fmt::format("bowline: and so on: {} further ranks, each of which waits for the next one\n",
                          lines.size() - most_lines);
      break;
    }
    page += fmt::format("bowline: {}\n", lines[i]);
  }
  page += fmt::format("bowline: {}; a wait of {} s is told again\n", last, seconds);
  std::fputs(page.c_str(), stderr);
  std::fflush(stderr);
  search_.reset();
}

void StragglerSearch::inquiry_arrived(const proto::Arrival& message) {
  proto::Peer& asker = engine_.peer(message.origin);
  const Clock::time_point now = Clock::now();
  const WaitSlot::Line line = ShownWait::line();
  const bool waits = line.state == WaitSlot::State::waiting;
  if (waits) searched_ = line.since;
  const Doing doing{.number = message.read<Inquiry>().number,
                    .awaited = waits ? line.targets.indispensable() : -1,
                    .waits = waits ? 1U : 0U,
                    .seconds = waits ? seconds_of(line, now) : 0};
  const std::string words = waits ? fmt::format(" on {} has waited for {:.0f} s: {}", host_, doing.seconds, line.text)
                                  : fmt::format(" on {}", host_);
  const std::string_view cut = std::string_view(words).substr(0, proto::longest_told - sizeof doing);
  tell(asker, straggler_kind::doing, {}, proto::as_prefix(doing), std::as_bytes(std::span(cut)));
}

void StragglerSearch::doing_arrived(const proto::Arrival& message) {
  const auto doing = message.read<Doing>();
  if (!search_ || doing.number != search_->number || search_->chain.back() != message.origin) return;
  const std::string_view words(reinterpret_cast<const char*>(message.body.data()), message.body.size());
  const std::string line = fmt::format("rank {}{}", message.origin, words);
  if (doing.waits == 0) return tell_user(line + " is in MPI, but does not wait there: it polls or communicates");
  const bool known = std::ranges::find(search_->chain, doing.awaited) != search_->chain.end();
  if (doing.awaited < 0 || doing.awaited >= engine_.ranks() || known) {
    searched_ = search_->since;  // it may be a deadlock, or a wait for any of several ranks
    return search_.reset();
  }
  search_->lines.push_back(line);
  search_->chain.push_back(doing.awaited);
  search_->asked_at.reset();
}

}  // namespace bowline::runtime
