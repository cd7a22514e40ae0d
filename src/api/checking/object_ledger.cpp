// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/object_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "api/checking/places.hpp"

namespace bowline::api::checking {
namespace {

struct Words {
  std::string_view one, several;
  std::string_view left;  ///< what has not been done with them
  std::string_view made;
};

Words words_for(ObjectKind kind) noexcept {
  constexpr std::string_view freed = "been freed", made = "made by";
  switch (kind) {
    case ObjectKind::communicator:
      return {"communicator", "communicators", freed, made};
    case ObjectKind::datatype:
      return {"datatype", "datatypes", freed, made};
    case ObjectKind::file:
      return {"file", "files", "been closed", "opened by"};
    case ObjectKind::group:
      return {"group", "groups", freed, made};
    case ObjectKind::message:
      return {"message", "messages", "been received", "found by"};
    case ObjectKind::op:
      return {"operator", "operators", freed, made};
    case ObjectKind::request:
      return {"operation", "operations", "been completed by a call such as MPI_Wait", "begun by"};
    case ObjectKind::persistent_request:
      return {"persistent request", "persistent requests", freed, made};
    case ObjectKind::window:
      break;
  }
  return {"window", "windows", freed, made};
}

struct Left {
  ObjectKind kind;
  std::string place;  ///< where they were made
  std::size_t objects;
};

std::string in_words(const Left& left) {
  const Words words = words_for(left.kind);
  const bool one = left.objects == 1;
  return fmt::format("{} {} {} not {}: {} {}", left.objects, one ? words.one : words.several, one ? "has" : "have",
                     words.left, words.made, left.place);
}

}  // namespace

void ObjectLedger::made(const void* handle, ObjectKind kind, const MpiCall& by) {
  const std::lock_guard hold(mutex_);
  objects_.insert({handle, {.kind = kind, .made_by = by}});
}

void ObjectLedger::gone(const void* handle) noexcept {
  const std::lock_guard hold(mutex_);
  const auto found = objects_.find(handle);
  if (found != objects_.end()) objects_.erase(found);
}

void ObjectLedger::started(const void* handle) noexcept {
  const std::lock_guard hold(mutex_);
  const auto found = objects_.find(handle);
  if (found != objects_.end()) found->second.started = true;
}

std::optional<MpiCall> ObjectLedger::never_started(const void* handle) const {
  const std::lock_guard hold(mutex_);
  const auto found = objects_.find(handle);
  const bool is_one = found != objects_.end() && found->second.kind == ObjectKind::persistent_request;
  return is_one && !found->second.started ? std::optional(found->second.made_by) : std::nullopt;
}

std::optional<MpiCall> ObjectLedger::made_by(const void* handle) const {
  const std::lock_guard hold(mutex_);
  const auto found = objects_.find(handle);
  return found == objects_.end() ? std::nullopt : std::optional(found->second.made_by);
}

std::vector<std::string> ObjectLedger::what_is_left() const {
  std::map<std::pair<ObjectKind, std::uintptr_t>, std::pair<MpiCall, std::size_t>> by_call;
  {
    const std::lock_guard hold(mutex_);
    for (const auto& [handle, entry] : objects_) {
      auto& [call, objects] = by_call[{entry.kind, entry.made_by.returns_to}];
      call = entry.made_by;
      ++objects;
    }
  }
  std::vector<MpiCall> calls;
  calls.reserve(by_call.size());
  for (const auto& [key, value] : by_call) calls.push_back(value.first);
  const std::vector<std::string> places = in_words(calls);
  // A line of the program may contain several calls: the compiler unrolls loops.
  std::map<std::pair<ObjectKind, std::string>, std::size_t> by_place;
  std::size_t next = 0;
  for (const auto& [key, value] : by_call) by_place[{key.first, places[next++]}] += value.second;
  std::vector<Left> left;
  left.reserve(by_place.size());
  for (const auto& [key, objects] : by_place) left.push_back({key.first, key.second, objects});
  std::ranges::stable_sort(left, std::ranges::greater{}, &Left::objects);
  std::vector<std::string> sentences;
  sentences.reserve(left.size());
  for (const Left& each : left) sentences.push_back(in_words(each));
  return sentences;
}

}  // namespace bowline::api::checking
