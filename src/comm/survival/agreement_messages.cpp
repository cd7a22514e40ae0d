// SPDX-License-Identifier: BSD-3-Clause
// The messages of agreements. A vote may name any number of ranks, which travel before it, some in each message.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "comm/survival/agreements.hpp"
#include "proto/engine.hpp"

namespace bowline::comm {
namespace {

enum List : std::uint32_t { failed_list, acknowledged_list };

struct RanksPrefix {
  std::uint32_t context;
  std::uint32_t list;
};

struct AgreementPrefix {
  std::uint32_t context;
  std::uint32_t number;
  std::uint32_t message;  ///< UniformAgreement::Message
  std::uint32_t form;     ///< Vote::Form
  std::array<std::uint32_t, 2> flags;
};

constexpr std::size_t most_ranks_bytes = (proto::longest_told - sizeof(RanksPrefix)) / sizeof(int) * sizeof(int);

}  // namespace

std::span<const proto::MessageKind> Agreements::message_kinds() noexcept {
  static constexpr std::array kinds{
      proto::MessageKind{survival_kind::ranks,
                         {"ranks of a vote", sizeof(RanksPrefix), most_ranks_bytes, false},
                         &proto::call<Agreements, &Agreements::ranks_arrived>},
      proto::MessageKind{survival_kind::agreement,
                         {"agreement", sizeof(AgreementPrefix), sizeof(IndexOffer), false},
                         &proto::call<Agreements, &Agreements::agreement_arrived>},
  };
  return kinds;
}

void Agreements::send_ranks(const Series& series, int process, std::uint32_t list, std::span<const int> ranks) {
  const RanksPrefix prefix{series.context, list};
  constexpr std::size_t at_once = most_ranks_bytes / sizeof(int);
  for (; !ranks.empty(); ranks = ranks.subspan(std::min(at_once, ranks.size()))) {
    deliveries_.send(process, survival_kind::ranks, proto::as_prefix(prefix),
                     std::as_bytes(ranks.first(std::min(at_once, ranks.size()))));
  }
}

void Agreements::send(const Series& series, std::uint32_t number, int to, Message message, const Vote& vote) {
  const int process = series.members.process(to);
  const AgreementPrefix prefix{series.context, number, static_cast<std::uint32_t>(message),
                               static_cast<std::uint32_t>(vote.form), vote.flags};
  if (message == Message::question)
    return deliveries_.send(process, survival_kind::agreement, proto::as_prefix(prefix));
  send_ranks(series, process, failed_list, vote.failed);
  send_ranks(series, process, acknowledged_list, vote.acknowledged);
  const auto offer = vote.offer ? std::as_bytes(std::span(&*vote.offer, 1)) : std::span<const std::byte>();
  deliveries_.send(process, survival_kind::agreement, proto::as_prefix(prefix), offer);
}

/// The vote of this process of which some ranks have arrived; an empty one if there is none.
Vote Agreements::take_incomplete(int process, std::uint32_t context) {
  const auto found = std::ranges::find_if(
      incomplete_, [=](const Incomplete& each) { return each.process == process && each.context == context; });
  if (found == incomplete_.end()) return {};
  Vote vote = std::move(found->vote);
  incomplete_.erase(found);
  return vote;
}

void Agreements::ranks_arrived(const proto::Arrival& message) {
  const auto prefix = message.read<RanksPrefix>();
  if (message.body.size() % sizeof(int) != 0 || prefix.list > acknowledged_list)
    throw message.wrong(fmt::format("{} bytes of list {} are no ranks", message.body.size(), prefix.list));
  Vote vote = take_incomplete(message.origin, prefix.context);
  std::vector<int>& ranks = prefix.list == failed_list ? vote.failed : vote.acknowledged;
  const std::size_t before = ranks.size();
  ranks.resize(before + message.body.size() / sizeof(int));
  std::memcpy(ranks.data() + before, message.body.data(), message.body.size());
  incomplete_.push_back({message.origin, prefix.context, std::move(vote)});
}

void Agreements::agreement_arrived(const proto::Arrival& message) {
  const auto prefix = message.read<AgreementPrefix>();
  Vote vote = take_incomplete(message.origin, prefix.context);
  const bool has_offer = message.body.size() == sizeof(IndexOffer);
  if (prefix.message > static_cast<std::uint32_t>(Message::question) ||
      prefix.form > static_cast<std::uint32_t>(Vote::Form::mixed) || (!message.body.empty() && !has_offer)) {
    throw message.wrong(fmt::format("message {} of form {} with {} bytes does not exist", prefix.message, prefix.form,
                                    message.body.size()));
  }
  if (!std::ranges::is_sorted(vote.failed) || !std::ranges::is_sorted(vote.acknowledged))
    throw message.wrong("its ranks do not ascend");
  vote.form = static_cast<Vote::Form>(prefix.form);
  vote.flags = prefix.flags;
  if (has_offer) std::memcpy(&vote.offer.emplace(), message.body.data(), sizeof(IndexOffer));
  handle(series(prefix.context),
         {message.origin, prefix.number, static_cast<Message>(prefix.message), std::move(vote)});
  settle();
}

}  // namespace bowline::comm
