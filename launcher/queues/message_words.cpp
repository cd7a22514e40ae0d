// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/message_words.hpp"

#include <fmt/format.h>

#include <utility>

namespace bowline::launcher {
namespace {

using Purpose = QueueRecord::Purpose;
using State = PendingMessage::State;

std::string partner_in_words(const PendingMessage& message, int ranks) {
  if (message.rank == QueueRecord::any_source) return "any rank";
  if (message.rank == PendingMessage::unknown)
    return message.process == PendingMessage::unknown ? "an unknown rank"
                                                      : fmt::format("rank {} of MPI_COMM_WORLD", message.process);
  if (message.process == message.rank || message.process == PendingMessage::unknown || message.process >= ranks)
    return fmt::format("rank {}", message.rank);
  return fmt::format("rank {} ({} of MPI_COMM_WORLD)", message.rank, message.process);
}

std::string tag_in_words(int tag) {
  return tag == QueueRecord::any_tag ? "any tag" : fmt::format("tag {}", tag);
}

}  // namespace

std::string in_words(const RankName& rank) {
  std::string text = rank.number ? fmt::format("rank {}", *rank.number) : std::string("a rank");
  if (rank.ranks != 0) text += fmt::format(" of {}", rank.ranks);
  if (rank.process != 0) text += fmt::format(", process {}", rank.process);
  return rank.core.empty() ? text : fmt::format("{}, {}", text, rank.core);
}

std::string printable(std::string text) {
  for (char& c : text) c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
  return text;
}

std::string name_in_words(const SeenContext& context) {
  std::string text = context.known ? context.communicator : "a communicator that does not exist here";
  if (text.empty()) text = "a communicator without a name";
  text = printable(std::move(text));
  const Purpose purpose = context.purpose();
  if (purpose == Purpose::partitioned) text += ", partitioned messages";
  if (purpose == Purpose::collective || purpose == Purpose::local) text += ", collectives";
  if (context.freed) text += ", freed";
  return text;
}

std::string context_in_words(const SeenContext& context) {
  const std::string name = name_in_words(context);
  if (!context.known) return fmt::format("{} (context {})", name, context.context);
  if (!context.is_inter())
    return fmt::format("{} (rank {} of {}, context {})", name, context.rank, context.members, context.context);
  return fmt::format("{} (rank {} of {}, with {} remote ranks, context {})", name, context.rank,
                     context.local_members(), context.peers, context.context);
}

std::string envelope_in_words(const PendingMessage& message, int ranks) {
  return fmt::format("{}, {}, {}{}", partner_in_words(message, ranks), tag_in_words(message.tag),
                     message.state == State::posted ? "up to " : "", bytes_in_words(message.bytes));
}

std::string bytes_in_words(std::uint64_t bytes) {
  return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
}

std::string state_in_words(const PendingMessage& message) {
  switch (message.state) {
    case State::posted:
      return "no message has matched it";
    case State::arriving:
      return fmt::format("matched; {} of them have arrived", message.moved);
    case State::eager:
      return "no receive has matched it; the data are here";
    case State::unfetched:
      return "no receive has matched it; the data are at the sender";
    case State::failed:
      return "the sender could not provide it";
    case State::queued:
      return "waits for room, or for the receiver's consent";
    case State::announced:
      return "announced; the receiver has not taken all data yet";
    case State::delivered:
      return "synchronous; the data have left, and no receive has matched them yet";
    case State::streaming:
      return fmt::format("matched; {} of them have been sent", message.moved);
    case State::putting:
      return "matched; the data are being written to the receiver's memory";
  }
  return {};
}

}  // namespace bowline::launcher
