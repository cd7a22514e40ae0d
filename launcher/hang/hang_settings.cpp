// SPDX-License-Identifier: BSD-3-Clause
// See hang_settings.hpp.
#include "launcher/hang/hang_settings.hpp"

#include <string>

#include "base/error.hpp"
#include "base/waits/hang_tunables.hpp"
#include "launcher/environment.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

void read(TunableBase& tunable, const App& app) {
  const std::string text = value_for(app, tunable.environment_name().c_str());
  if (text.empty()) return;
  try {
    tunable.set(text);
  } catch (const Error& error) {
    throw UsageError("{}", error.what());
  }
}

/// Whether BOWLINE_CHECK has the word; the ranks refuse words that do not exist.
bool checks_buffering(const App& app) {
  const std::string words = "," + value_for(app, "BOWLINE_CHECK") + ",";
  return words.find(",buffering,") != std::string::npos || words.find(",all,") != std::string::npos;
}

}  // namespace

HangSettings hang_settings(const Options& options) {
  for (TunableBase* const tunable : {static_cast<TunableBase*>(&hang), static_cast<TunableBase*>(&hang_seconds)})
    read(*tunable, options.apps.front());
  using Action = HangSettings::Action;
  const Action action = hang.value() == "end" ? Action::end : hang.value() == "report" ? Action::report : Action::off;
  const std::chrono::seconds after(hang_seconds.value());
  return {.action = action,
          .after = after,
          .buffering = checks_buffering(options.apps.front()),
          .suspicion = suspicion_factor * after};
}

}  // namespace bowline::launcher
