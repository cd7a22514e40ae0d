// SPDX-License-Identifier: BSD-3-Clause
// See name_store.hpp.
#include "launcher/spawn/name_store.hpp"

#include <algorithm>
#include <utility>

namespace bowline::launcher {
namespace {

bool may_read(const Published& value, const RankId& reader) {
  switch (value.audience) {
    case Audience::process:
      return value.owner == reader;
    case Audience::job:
      return value.owner.job == reader.job;
    case Audience::everyone:
      break;
  }
  return true;
}

/// Whether some process may read both.
bool have_a_common_reader(const Published& a, const Published& b) {
  return may_read(a, b.owner) || may_read(b, a.owner);
}

}  // namespace

NameStore::Result NameStore::publish(std::vector<Published> values) {
  for (auto value = values.begin(); value != values.end(); ++value) {
    if (value->key.starts_with(own_prefix)) return Result::own_key;
    const auto collides = [&](const Published& other) {
      return other.key == value->key && have_a_common_reader(other, *value);
    };
    if (std::ranges::any_of(values_, collides) || std::any_of(values.begin(), value, collides))
      return Result::duplicate;
  }
  for (Published& value : values) values_.push_back(std::move(value));
  return Result::stored;
}

const Published* NameStore::find(std::string_view key, const RankId& reader) const {
  const auto found = std::ranges::find_if(
      values_, [&](const Published& value) { return value.key == key && may_read(value, reader); });
  return found == values_.end() ? nullptr : &*found;
}

void NameStore::mark_read(std::string_view key, const RankId& reader) {
  const Published* const read = find(key, reader);
  if (read == nullptr || read->lifetime != Lifetime::first_read) return;
  values_.remove_if([read](const Published& value) { return &value == read; });
}

bool NameStore::unpublish(std::string_view key, const std::string& job) {
  const auto found =
      std::ranges::find_if(values_, [&](const Published& value) { return value.key == key && value.owner.job == job; });
  if (found == values_.end()) return false;
  values_.erase(found);
  return true;
}

void NameStore::unpublish_all(const RankId& owner) {
  values_.remove_if([&](const Published& value) { return value.owner == owner; });
}

void NameStore::on_process_end(const RankId& process) {
  values_.remove_if([&](const Published& value) {
    return value.owner == process && (value.lifetime == Lifetime::process || value.audience == Audience::process);
  });
}

void NameStore::on_job_end(const std::string& job) {
  values_.remove_if([&](const Published& value) {
    return value.owner.job == job && (value.lifetime != Lifetime::session || value.audience != Audience::everyone);
  });
}

}  // namespace bowline::launcher
