// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queue_library/queue_view.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "launcher/queues/message_words.hpp"
#include "launcher/queues/queue_walk.hpp"

namespace bowline::launcher {
namespace {

using State = PendingMessage::State;

/// Cuts what does not fit.
void copy(std::string_view text, std::span<char> into) noexcept {
  const std::size_t length = std::min(text.size(), into.size() - 1);
  std::memcpy(into.data(), text.data(), length);
  into[length] = '\0';
}

/// Writes a text of several words from this line on; returns the first line that is free.
std::size_t wrap(std::string_view text, std::size_t line, mqs::PendingOperation& into) noexcept {
  constexpr std::size_t width = sizeof into.extra_text[0] - 1;
  while (!text.empty() && line < std::size(into.extra_text)) {
    const std::size_t space = text.size() > width ? text.rfind(' ', width) : text.size();
    const std::size_t length = std::min(space == std::string_view::npos ? width : space, text.size());
    copy(text.substr(0, length), into.extra_text[line++]);
    text.remove_prefix(std::min(text.size(), space == std::string_view::npos ? length : length + 1));
  }
  return line;
}

mqs::Status status_of(State state) noexcept {
  const bool is_matched = state == State::arriving || state == State::streaming || state == State::putting;
  return is_matched ? mqs::matched : mqs::pending;
}

bool is_posted_or_arriving(State state) noexcept {
  return state == State::posted || state == State::arriving;
}

}  // namespace

QueueView::QueueView(const ProcessMemory& memory) : communicators_(read_communicators(memory)) {
  std::map<std::uint32_t, ContextQueues> all;
  for (const auto& [context, communicator] : communicators_.all) {
    if (communicator.freed) continue;
    ContextQueues queues;
    static_cast<SeenContext&>(queues) = communicator.in(context);
    all.emplace(context, std::move(queues));
  }
  for (ContextQueues& queues : read_queues(memory).contexts) all.insert_or_assign(queues.context, std::move(queues));
  for (auto& [context, queues] : all) entries_.push_back(std::move(queues));
}

int QueueView::global_rank(int process) const noexcept {
  return process >= 0 && process < communicators_.ranks ? process : mqs::invalid_process;
}

mqs::Communicator QueueView::communicator() const {
  const ContextQueues& entry = entries_[at_];
  mqs::Communicator seen{.unique_id = entry.context,
                         .local_rank = entry.known ? entry.rank : mqs::invalid_process,
                         .size = entry.local_members(),
                         .name = {}};
  copy(name_in_words(entry), seen.name);
  return seen;
}

std::vector<int> QueueView::group() const {
  const ContextQueues& entry = entries_[at_];
  const auto found = communicators_.all.find(entry.context - entry.context % QueueRecord::purposes);
  // One that has been made between two looks at a process that runs is not told.
  if (!entry.known || found == communicators_.all.end())
    return std::vector<int>(static_cast<std::size_t>(entry.local_members()), mqs::invalid_process);
  std::vector<int> ranks(static_cast<std::size_t>(entry.local_members()));
  for (std::size_t i = 0; i < ranks.size(); ++i)
    ranks[i] = global_rank(found->second.local_process(static_cast<int>(i)));
  return ranks;
}

std::vector<mqs::PendingOperation> QueueView::operations(mqs::OperationClass kind) const {
  const ContextQueues& entry = entries_[at_];
  const std::vector<PendingMessage>& messages = kind == mqs::pending_sends      ? entry.sends
                                                : kind == mqs::pending_receives ? entry.receives
                                                                                : entry.unexpected;
  std::vector<mqs::PendingOperation> all;
  all.reserve(messages.size());
  for (const PendingMessage& message : messages) all.push_back(operation(message, entry));
  return all;
}

mqs::PendingOperation QueueView::operation(const PendingMessage& message, const SeenContext& context) const {
  const bool is_receive = is_posted_or_arriving(message.state);
  const bool is_here = message.state == State::eager;
  const mqs::Word rank = message.rank == PendingMessage::unknown ? mqs::any_rank : message.rank;
  mqs::PendingOperation told{.status = status_of(message.state),
                             .desired_local_rank = rank,
                             .desired_global_rank = global_rank(message.process),
                             .tag_wild = is_receive && message.tag == QueueRecord::any_tag ? 1 : 0,
                             .desired_tag = message.tag,
                             .desired_length = static_cast<mqs::Word>(message.bytes),
                             .system_buffer = is_here ? 1 : 0,
                             .buffer = message.buffer,
                             .actual_local_rank = rank,
                             .actual_global_rank = global_rank(message.process),
                             .actual_tag = message.tag,
                             .actual_length = static_cast<mqs::Word>(message.bytes),
                             .extra_text = {}};
  if (message.state == State::arriving) {
    const auto found = communicators_.all.find(context.context - context.context % QueueRecord::purposes);
    told.actual_local_rank = message.matched.rank;
    if (found != communicators_.all.end())
      told.actual_global_rank = global_rank(found->second.peers.process_of(message.matched.rank));
    told.actual_tag = message.matched.tag;
    told.actual_length = static_cast<mqs::Word>(message.matched.bytes);
  }
  std::size_t line = wrap(state_in_words(message), 0, told);
  if (message.process >= communicators_.ranks) line = wrap("the other process belongs to another job", line, told);
  wrap("communicator " + context_in_words(context), line, told);
  return told;
}

}  // namespace bowline::launcher
