// SPDX-License-Identifier: BSD-3-Clause
// See name_service.hpp.
#include "launcher/spawn/name_service.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace bowline::launcher {
namespace {

constexpr std::string_view end_prefix = "bowline.end.";
constexpr std::string_view error_key = "bowline.spawn-error";

Answer::Status status_of(NameStore::Result result) {
  switch (result) {
    case NameStore::Result::duplicate:
      return Answer::Status::duplicate_key;
    case NameStore::Result::own_key:
      return Answer::Status::not_permitted;
    case NameStore::Result::stored:
      break;
  }
  return Answer::Status::success;
}

}  // namespace

void NameService::handle(RankRequest request, Clock::time_point now) {
  if (auto* const publish = std::get_if<PublishRequest>(&request.what)) {
    request.answer({.status = status_of(store_.publish(std::move(publish->values)))});
    return settle();
  }
  if (const auto* const unpublish = std::get_if<UnpublishRequest>(&request.what)) {
    bool found = true;
    for (const std::string& key : unpublish->keys) found = store_.unpublish(key, request.of.job) && found;
    if (unpublish->keys.empty()) store_.unpublish_all(request.of);
    return request.answer({.status = found ? Answer::Status::success : Answer::Status::not_found});
  }
  if (auto* const lookup = std::get_if<LookupRequest>(&request.what)) {
    if (auto answer = look_up(request.of, *lookup)) return request.answer(std::move(*answer));
    std::optional<Clock::time_point> until;
    if (lookup->timeout) until = now + *lookup->timeout;
    LookupRequest what = std::move(*lookup);
    waiting_.push_back({.request = std::move(request), .lookup = std::move(what), .until = until});
  }
}

// ---- lookups -----------------------------------------------------------------------------------------------------

/// None: the answer is to come later.
std::optional<Answer> NameService::look_up(const RankId& reader, const LookupRequest& lookup) {
  std::size_t wanted = lookup.awaited;
  Answer answer;
  for (const std::string& key : lookup.keys) {
    if (key.starts_with(end_prefix)) {
      const Spawned* const job = spawned_job(key);
      if (job == nullptr) return Answer{.status = Answer::Status::not_found};
      if (!job->end) wanted = lookup.keys.size();
    }
    if (key == error_key && !spawn_errors_.contains(reader)) return Answer{.status = Answer::Status::not_found};
    if (auto own = own_value(key, reader))
      answer.found.push_back({.key = key, .text = std::move(*own), .owner = reader});
    else if (const Published* const value = store_.find(key, reader))
      answer.found.push_back(*value);
  }
  if (answer.found.size() < wanted) return std::nullopt;
  if (answer.found.empty()) return Answer{.status = Answer::Status::not_found};
  for (const Published& value : answer.found) store_.mark_read(value.key, reader);
  return answer;
}

std::optional<std::string> NameService::own_value(std::string_view key, const RankId& reader) const {
  if (key == error_key) {
    const auto error = spawn_errors_.find(reader);
    return error == spawn_errors_.end() ? std::nullopt : std::optional(error->second);
  }
  const Spawned* const job = spawned_job(key);
  return job == nullptr ? std::nullopt : job->end;
}

/// The spawned job whose end the key names; nullptr: none.
const NameService::Spawned* NameService::spawned_job(std::string_view key) const {
  if (!key.starts_with(end_prefix)) return nullptr;
  const std::string_view name = key.substr(end_prefix.size());
  const auto job = spawned_.find(name);
  if (job != spawned_.end()) return &job->second;
  const auto known =
      std::ranges::find_if(spawned_, [&](const auto& each) { return !name.empty() && each.second.token == name; });
  return known == spawned_.end() ? nullptr : &known->second;
}

/// Answers the lookups that need not wait any longer.
void NameService::settle() {
  waiting_.remove_if([this](const Waiting& waiting) {
    auto answer = look_up(waiting.request.of, waiting.lookup);
    if (!answer) return false;
    waiting.request.answer(std::move(*answer));
    return true;
  });
}

std::optional<NameService::Clock::time_point> NameService::deadline() const {
  std::optional<Clock::time_point> next;
  for (const Waiting& waiting : waiting_) {
    if (waiting.until && (!next || *waiting.until < *next)) next = waiting.until;
  }
  return next;
}

void NameService::on_timer(Clock::time_point now) {
  waiting_.remove_if([now](const Waiting& waiting) {
    if (!waiting.until || now < *waiting.until) return false;
    waiting.request.answer({.status = Answer::Status::timed_out});
    return true;
  });
}

// ---- jobs --------------------------------------------------------------------------------------------------------

void NameService::set_spawn_error(const RankId& process, std::optional<std::string> error) {
  if (error)
    spawn_errors_[process] = std::move(*error);
  else
    spawn_errors_.erase(process);
}

void NameService::on_spawned(const std::string& job, const std::string& spawner, const std::string& token) {
  spawned_[job] = {.spawner = spawner, .end = {}, .token = token};
}

void NameService::on_process_end(const RankId& process) {
  waiting_.remove_if([&](const Waiting& waiting) { return waiting.request.of == process; });
  spawn_errors_.erase(process);
  store_.on_process_end(process);
}

void NameService::on_job_end(const std::string& job, const std::string& end) {
  waiting_.remove_if([&](const Waiting& waiting) { return waiting.request.of.job == job; });
  std::erase_if(spawn_errors_, [&](const auto& error) { return error.first.job == job; });
  store_.on_job_end(job);
  if (const auto own = spawned_.find(job); own != spawned_.end()) {
    own->second.end = end;
    settle();
    keep_end(job);
  }
  ended_of_.erase(job);
  for (auto& [name, child] : spawned_) {
    if (child.spawner == job) child.spawner.clear();
  }
  std::erase_if(spawned_, [](const auto& entry) { return entry.second.spawner.empty() && entry.second.end; });
}

/// Keeps the end of a job for its spawner, unless that has ended.
void NameService::keep_end(const std::string& job) {
  const std::string spawner = spawned_.at(job).spawner;
  if (spawner.empty()) {
    spawned_.erase(job);
    return;
  }
  std::deque<std::string>& ended = ended_of_[spawner];
  ended.push_back(job);
  if (ended.size() <= most_ends) return;
  spawned_.erase(ended.front());
  ended.pop_front();
}

}  // namespace bowline::launcher
