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

}  // namespace

HangSettings hang_settings(const Options& options) {
  for (TunableBase* const tunable : {static_cast<TunableBase*>(&hang), static_cast<TunableBase*>(&hang_seconds)})
    read(*tunable, options.apps.front());
  using Action = HangSettings::Action;
  const Action action = hang.value() == "end" ? Action::end : hang.value() == "report" ? Action::report : Action::off;
  const std::chrono::seconds after(hang_seconds.value());
  return {.action = action, .after = after, .suspicion = suspicion_factor * after};
}

}  // namespace bowline::launcher
