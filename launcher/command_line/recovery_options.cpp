// SPDX-License-Identifier: BSD-3-Clause
// See recovery_options.hpp.
#include "launcher/command_line/recovery_options.hpp"

#include "launcher/command_line/values.hpp"

namespace bowline::launcher {
namespace {

/// What may stand after --keep-going=. It comes from --with-ft, and most of the words are Open MPI's.
constexpr Word<bool> words[] = {{"yes", true},    {"no", false},  {"mpi", true}, {"ulfm", true},
                                {"true", true},   {"on", true},   {"1", true},   {"none", false},
                                {"false", false}, {"off", false}, {"0", false}};

}  // namespace

void set_recovery(const RawJob& raw, Options& options) {
  if (!raw.keep_going.empty()) options.keep_going = to_choice<bool>("--keep-going", raw.keep_going, words);
  if (raw.chaos.empty()) return;
  options.chaos = parse_chaos(raw.chaos);
  options.keep_going = true;
}

}  // namespace bowline::launcher
