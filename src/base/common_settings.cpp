// SPDX-License-Identifier: BSD-3-Clause
#include "base/common_settings.hpp"

#include <span>
#include <vector>

#include "base/hash.hpp"
#include "base/tunable.hpp"

namespace bowline {
namespace {

/// In the order of their names.
std::vector<const TunableBase*> common_settings() {
  std::vector<const TunableBase*> found;
  for (const TunableBase* each : TunableBase::all()) {
    if (each->traits().agreement == Agreement::all_equal) found.push_back(each);
  }
  return found;
}

}  // namespace

std::uint64_t digest_of_common_settings() {
  const std::string words = common_settings_in_words();
  return words.empty() ? 0 : hash_of(std::as_bytes(std::span(words)));
}

std::string common_settings_in_words() {
  std::string words;
  for (const TunableBase* each : common_settings()) {
    if (each->value_text() == each->default_text()) continue;
    words += (words.empty() ? "" : " ") + each->environment_name() + "=" + each->value_text();
  }
  return words;
}

std::string names_of_common_settings() {
  const std::vector<const TunableBase*> all = common_settings();
  std::string words;
  for (std::size_t i = 0; i < all.size(); ++i)
    words += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i]->environment_name();
  return words;
}

}  // namespace bowline
