// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/ps/queues_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bowline::launcher {
namespace {

using Purpose = QueueRecord::Purpose;
using State = PendingMessage::State;

constexpr std::size_t most_lines = 20;  // of a kind

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

/// `begin`: such as "receive from"; `bytes`: what the number of bytes is.
void add_lines(std::string& text, std::span<const PendingMessage> messages, const char* begin, int ranks) {
  for (const PendingMessage& message : messages.first(std::min(messages.size(), most_lines))) {
    text += fmt::format("    {} {}, {}, {}{}: {}\n", begin, partner_in_words(message, ranks), tag_in_words(message.tag),
                        message.state == State::posted ? "up to " : "", bytes_in_words(message.bytes),
                        state_in_words(message));
  }
  if (messages.size() > most_lines) text += fmt::format("    and {} more\n", messages.size() - most_lines);
}

std::string communicator_in_words(const ContextQueues& queues) {
  std::string text = queues.known ? queues.communicator : "a communicator that does not exist here";
  if (text.empty()) text = "a communicator without a name";
  // A name may have characters that would end or hide a line.
  for (char& c : text) c = static_cast<unsigned char>(c) < ' ' ? '?' : c;
  if (queues.purpose() == Purpose::partitioned) text += ", partitioned messages";
  if (queues.purpose() == Purpose::collective || queues.purpose() == Purpose::local) text += ", collectives";
  if (queues.freed) text += ", freed";
  if (!queues.known) return fmt::format("{} (context {})", text, queues.context);
  if (queues.peers == queues.members)
    return fmt::format("{} (rank {} of {}, context {})", text, queues.rank, queues.members, queues.context);
  return fmt::format("{} (rank {} of {}, with {} remote ranks, context {})", text, queues.rank,
                     queues.members - queues.peers, queues.peers, queues.context);
}

std::string rank_in_words(const RankQueues& rank) {
  std::string text = rank.number ? fmt::format("rank {}", *rank.number) : std::string("a rank");
  if (rank.queues) text += fmt::format(" of {}", rank.queues->ranks);
  if (rank.process != 0) text += fmt::format(", process {}", rank.process);
  return rank.core.empty() ? text : fmt::format("{}, {}", text, rank.core);
}

nlohmann::json known(int number, int nothing) {
  return number == nothing || number == PendingMessage::unknown ? nlohmann::json() : nlohmann::json(number);
}

std::string_view name_of(State state) {
  switch (state) {
    case State::posted:
      return "posted";
    case State::arriving:
      return "arriving";
    case State::eager:
      return "eager";
    case State::unfetched:
      return "announced";
    case State::failed:
      return "failed";
    case State::queued:
      return "queued";
    case State::announced:
      return "announced";
    case State::delivered:
      return "delivered";
    case State::streaming:
      return "streaming";
    case State::putting:
      return "putting";
  }
  return {};
}

nlohmann::json to_json(std::span<const PendingMessage> messages, const char* partner) {
  nlohmann::json all = nlohmann::json::array();
  for (const PendingMessage& message : messages) {
    all.push_back({{partner, known(message.rank, QueueRecord::any_source)},
                   {"process", known(message.process, QueueRecord::any_source)},
                   {"tag", known(message.tag, QueueRecord::any_tag)},
                   {"bytes", message.bytes},
                   {"moved", message.moved},
                   {"state", name_of(message.state)}});
  }
  return all;
}

std::string_view use_of(Purpose purpose) {
  if (purpose == Purpose::point_to_point) return "messages";
  return purpose == Purpose::partitioned ? "partitioned" : "collectives";
}

nlohmann::json to_json(const ContextQueues& queues) {
  nlohmann::json json{{"context", queues.context},
                      {"for", use_of(queues.purpose())},
                      {"name", queues.known ? nlohmann::json(queues.communicator) : nlohmann::json()},
                      {"receives", to_json(queues.receives, "source")},
                      {"unexpected", to_json(queues.unexpected, "source")},
                      {"sends", to_json(queues.sends, "destination")}};
  if (!queues.known) return json;
  const bool is_inter = queues.peers != queues.members;
  json["freed"] = queues.freed;
  json["rank"] = queues.rank;
  json["size"] = is_inter ? queues.members - queues.peers : queues.members;
  if (is_inter) json["remote_size"] = queues.peers;
  return json;
}

nlohmann::json to_json(const RankQueues& rank) {
  nlohmann::json json{{"rank", rank.number ? nlohmann::json(*rank.number) : nlohmann::json()},
                      {"process", rank.process != 0 ? nlohmann::json(rank.process) : nlohmann::json()},
                      {"state", !rank.state.empty()     ? rank.state
                                : !rank.problem.empty() ? "unreadable"
                                                        : "read"}};
  if (!rank.core.empty()) json["core"] = rank.core;
  if (!rank.problem.empty()) json["problem"] = rank.problem;
  if (!rank.queues) return json;
  json["ranks"] = rank.queues->ranks;
  json["communicators"] = nlohmann::json::array();
  for (const ContextQueues& queues : rank.queues->contexts) json["communicators"].push_back(to_json(queues));
  return json;
}

}  // namespace

std::string queues_in_words(std::span<const RankQueues> ranks) {
  std::string text;
  for (const RankQueues& rank : ranks) {
    if (!rank.state.empty()) text += fmt::format("{}: {}\n", rank_in_words(rank), rank.state);
    if (!rank.queues) continue;
    text += fmt::format("{}{}\n", rank_in_words(rank), rank.queues->contexts.empty() ? ": nothing is pending" : "");
    for (const ContextQueues& queues : rank.queues->contexts) {
      text += fmt::format("  {}\n", communicator_in_words(queues));
      add_lines(text, queues.receives, "receive from", rank.queues->ranks);
      add_lines(text, queues.unexpected, "message from", rank.queues->ranks);
      add_lines(text, queues.sends, "send to", rank.queues->ranks);
    }
  }
  return text;
}

std::string queues_in_json(std::span<const RankQueues> ranks, const std::string& host) {
  nlohmann::json all = nlohmann::json::array();
  for (const RankQueues& rank : ranks) all.push_back(to_json(rank));
  const nlohmann::json document{{"host", host}, {"ranks", std::move(all)}};
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace bowline::launcher
