// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "base/error.hpp"
#include "base/failure.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"
#include "coll/selection/selection.hpp"
#include "dtype/op.hpp"
#include "dtype/padding.hpp"
#include "mpiio/storage/faulty_storage.hpp"
#include "runtime/jobs/published_names.hpp"

namespace bowline::runtime {
namespace {

TextTunable check_tunable(
    TunableTraits(Category::diagnosis).for_users(), "check",
    "words of strict, leaks, buffers, types, buffering, epochs, rivals and all, separated by commas",
    "which mistakes of programs the library looks for, and tells: docs/debugging.md; strict: "
    "refuse what the standard does not allow even where other MPI libraries take it "
    "(docs/leniency.md)");

Checks read_checks(std::string_view words) {
  Checks wanted;
  for (std::string_view rest = words; !words.empty();) {
    const std::size_t comma = rest.find(',');
    const std::string_view word = rest.substr(0, comma);
    const bool all = word == "all";
    constexpr std::array others{"strict", "leaks", "buffers", "types", "buffering", "epochs", "rivals", "lenient"};
    if (!all && std::ranges::find(others, word) == others.end()) {
      throw Error(ErrorClass::arg,
                  fmt::format("BOWLINE_CHECK is \"{}\", but \"{}\" is none of strict, leaks, buffers, types, "
                              "buffering, epochs, rivals and all, which may be given separated by commas",
                              words, word));
    }
    wanted.strict = wanted.strict || all || word == "strict";
    wanted.leaks = wanted.leaks || all || word == "leaks";
    wanted.buffers = wanted.buffers || all || word == "buffers";
    wanted.types = wanted.types || all || word == "types";
    wanted.buffering = wanted.buffering || all || word == "buffering";
    wanted.epochs = wanted.epochs || all || word == "epochs";
    const auto rivals = word == "rivals" ? Checks::Rivals::all
                        : all            ? Checks::Rivals::of_unnamed_senders
                                         : Checks::Rivals::none;
    wanted.rivals = std::max(wanted.rivals, rivals);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  return wanted;
}

constinit Checks the_checks;

constinit std::mutex reading;

void read_all(bool warn) noexcept {
  const std::lock_guard hold(reading);
  try {
    tunables::load_environment();
    the_checks = read_checks(check_tunable.value());
    dtype::keep_operators_to_the_standard(strict());
    dtype::set_padding_rule(strict() ? dtype::Padding::drops : dtype::Padding::counts);
    coll::load_rules();
    mpiio::load_faults();
    check_names_directory();
    if (warn) tunables::warn_of_unknown_names();
  } catch (...) {
    const Failure why = Failure::current();
    std::fflush(nullptr);  // shows the program's output before the error
    log::error("{}", why->what());
    std::_Exit(EXIT_FAILURE);
  }
  settings_are_read = true;
}

}  // namespace

const Checks& checks() noexcept {
  return the_checks;
}

void read_settings() noexcept {
  read_all(false);
}

void read_settings_and_warn() noexcept {
  read_all(true);
}

}  // namespace bowline::runtime
