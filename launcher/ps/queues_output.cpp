// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/ps/queues_output.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "launcher/queues/rank_pages.hpp"

namespace bowline::launcher {
namespace {

using Purpose = QueueRecord::Purpose;
using State = PendingMessage::State;

RankName name_of(const RankQueues& rank) {
  return {
      .number = rank.number, .ranks = rank.queues ? rank.queues->ranks : 0, .process = rank.process, .core = rank.core};
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
  json["freed"] = queues.freed;
  json["rank"] = queues.rank;
  json["size"] = queues.local_members();
  if (queues.is_inter()) json["remote_size"] = queues.peers;
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
    if (!rank.state.empty()) text += fmt::format("{}: {}\n", in_words(name_of(rank)), rank.state);
    if (rank.queues) text += queues_page(name_of(rank), *rank.queues);
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
