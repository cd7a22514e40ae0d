// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "base/failure.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"
#include "coll/selection/selection.hpp"
#include "dtype/op.hpp"
#include "dtype/padding.hpp"
#include "mpiio/storage/faulty_storage.hpp"

namespace bowline::runtime {
namespace {

ChoiceTunable check_tunable{"check",
                            {"lenient", "strict"},
                            "strict: refuse what the standard does not allow even where other MPI libraries take it "
                            "(docs/leniency.md)"};

constinit std::mutex reading;

void read_all(bool warn) noexcept {
  const std::lock_guard hold(reading);
  try {
    tunables::load_environment();
    dtype::keep_operators_to_the_standard(strict());
    dtype::set_padding_rule(strict() ? dtype::Padding::drops : dtype::Padding::counts);
    coll::load_rules();
    mpiio::load_faults();
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

bool strict() noexcept {
  return check_tunable.value() == "strict";
}

void read_settings() noexcept {
  read_all(false);
}

void read_settings_and_warn() noexcept {
  read_all(true);
}

}  // namespace bowline::runtime
