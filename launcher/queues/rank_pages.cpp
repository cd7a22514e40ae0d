// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/rank_pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace bowline::launcher {
namespace {

constexpr std::size_t most_lines = 20;  // of a kind
constexpr std::size_t most_requests = 100;
constexpr std::size_t most_terms = 20;  // of a list of members

std::string first_line(const RankName& rank, bool is_empty, const char* nothing) {
  return is_empty ? fmt::format("{}: {}\n", in_words(rank), nothing) : in_words(rank) + '\n';
}

/// `begin`: such as "receive from".
void add_lines(std::string& text, std::span<const PendingMessage> messages, const char* begin, int ranks) {
  for (const PendingMessage& message : messages.first(std::min(messages.size(), most_lines)))
    text += fmt::format("    {} {}: {}\n", begin, envelope_in_words(message, ranks), state_in_words(message));
  if (messages.size() > most_lines) text += fmt::format("    and {} more\n", messages.size() - most_lines);
}

/// The ranks of a job among the members of a group, in the members' order, such as "0-3, 7, 5". `process`: of a member.
template <class Process>
std::string members_in_words(int members, int ranks, Process process) {
  std::string text;
  std::size_t terms = 0;
  int foreign = 0, left_out = 0;
  for (int member = 0; member < members;) {
    const int first = process(member);
    int length = 1;
    if (first >= ranks || first < 0) {
      ++foreign;
    } else {
      while (member + length < members && first + length < ranks && process(member + length) == first + length)
        ++length;
      if (length == 2) length = 1;
      if (++terms > most_terms)
        left_out += length;
      else
        text += fmt::format("{}{}", text.empty() ? "" : ", ",
                            length == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + length - 1));
    }
    member += length;
  }
  if (left_out > 0) text += fmt::format(" and {} more", left_out);
  if (!text.empty()) text = fmt::format("{} {} of MPI_COMM_WORLD", members - foreign == 1 ? "rank" : "ranks", text);
  if (foreign > 0)
    text +=
        fmt::format("{}{} {} of other jobs", text.empty() ? "" : ", ", foreign, foreign == 1 ? "process" : "processes");
  return text;
}

std::string request_state(const SeenRequest& request, int ranks) {
  if (!request.active) return "not started";
  if (!request.done) return state_in_words(request.message);
  if (request.is_send) return "ended; no call has completed it";
  const PendingMessage::Matched& matched = request.message.matched;
  // One that was cancelled, or that has failed, has received from nobody.
  if (matched.rank < 0) return "ended without a message; no call has completed it";
  const PendingMessage message{
      .state = PendingMessage::State::arriving, .rank = matched.rank, .tag = matched.tag, .bytes = matched.bytes};
  return fmt::format("ended, with a message from {}; no call has completed it", envelope_in_words(message, ranks));
}

std::string request_line(const SeenRequest& request, int ranks) {
  return fmt::format("    {:#x}: {}{} {} at {:#x}: {}{}\n", request.handle, request.persistent ? "persistent " : "",
                     request.is_send ? "send to" : "receive from", envelope_in_words(request.message, ranks),
                     request.message.buffer, request_state(request, ranks),
                     request.freed ? "; the program has no handle of it any more" : "");
}

}  // namespace

std::string queues_page(const RankName& rank, const MessageQueues& queues) {
  std::string text = first_line(rank, queues.contexts.empty(), "nothing is pending");
  for (const ContextQueues& context : queues.contexts) {
    text += fmt::format("  {}\n", context_in_words(context));
    add_lines(text, context.receives, "receive from", queues.ranks);
    add_lines(text, context.unexpected, "message from", queues.ranks);
    add_lines(text, context.sends, "send to", queues.ranks);
  }
  return text;
}

std::string communicators_page(const RankName& rank, const RankCommunicators& communicators) {
  std::string text = first_line(rank, false, "");
  for (const auto& entry : communicators.all) {
    const SeenCommunicator& seen = entry.second;
    const auto local = [&seen](int member) { return seen.local_process(member); };
    const auto remote = [&seen](int member) { return seen.peers.process_of(member); };
    text += fmt::format("  {}\n    members: {}\n", context_in_words(seen.in(entry.first)),
                        members_in_words(seen.local_members(), communicators.ranks, local));
    if (seen.is_inter())
      text += fmt::format("    remote members: {}\n", members_in_words(seen.peers.size, communicators.ranks, remote));
  }
  return text;
}

std::string requests_page(const RankName& rank, const RankRequests& requests) {
  std::string text = first_line(rank, requests.contexts.empty(), "there are no requests");
  for (const ContextRequests& context : requests.contexts) {
    text += fmt::format("  {}\n", context_in_words(context));
    const std::size_t shown = std::min(context.requests.size(), most_requests);
    for (std::size_t i = 0; i < shown; ++i) text += request_line(context.requests[i], requests.ranks);
    if (context.requests.size() > shown) text += fmt::format("    and {} more\n", context.requests.size() - shown);
    if (context.others == 1) text += "    1 other request, such as a non-blocking collective\n";
    if (context.others > 1)
      text += fmt::format("    {} other requests, such as non-blocking collectives\n", context.others);
  }
  return text;
}

}  // namespace bowline::launcher
