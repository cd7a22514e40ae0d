// SPDX-License-Identifier: BSD-3-Clause
// See variables.hpp.
#include "launcher/info/variables.hpp"

#include <fmt/format.h>

#include <string_view>

#include "base/counter.hpp"
#include "base/tunable.hpp"
#include "base/variable.hpp"

namespace bowline::launcher {
namespace {

std::string_view audience_of(const TunableTraits& traits) {
  switch (traits.audience) {
    case Audience::users:
      return "for users";
    case Audience::tuners:
      return "for tuners";
    case Audience::developers:
      break;
  }
  return "for developers";
}

std::string_view kind_of(const Measure& measure) {
  switch (measure.kind()) {
    case Measure::Kind::counter:
      return "counter";
    case Measure::Kind::level:
      return "level";
    case Measure::Kind::peak:
      break;
  }
  return "highwatermark";
}

void print(const TunableBase& tunable) {
  const TunableTraits& traits = tunable.traits();
  fmt::print("    {} (control; {}; {}{})\n        {}\n", tunable.environment_name(), audience_of(traits),
             traits.change == Change::any_time ? "may change at any time" : "may change before MPI starts",
             traits.agreement == Agreement::all_equal ? "; equal at all ranks" : "", tunable.help());
}

}  // namespace

void print_variables() {
  fmt::print("variables for tools (MPI_T), by category\n");
  for (std::size_t i = 0; i < category_texts.size(); ++i) {
    fmt::print("  {}: {}\n", category_texts[i].name, category_texts[i].help);
    for (const TunableBase* const each : TunableBase::all()) {
      if (each->traits().category == static_cast<Category>(i)) print(*each);
    }
    for (const Measure* const each : Measure::all()) {
      if (each->category() == static_cast<Category>(i))
        fmt::print("    {} (performance; {})\n        {}\n", each->name(), kind_of(*each), each->help());
    }
  }
}

}  // namespace bowline::launcher
