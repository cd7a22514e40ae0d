// SPDX-License-Identifier: BSD-3-Clause
// The choice between a launcher, a rendezvous and none.
#include "wireup/wireup.hpp"

#include <string_view>

#include "base/log.hpp"
#include "wireup/environment_variable.hpp"
#include "wireup/launchers.hpp"
#include "wireup/pmi/pmi.hpp"
#include "wireup/relay.hpp"
#include "wireup/rendezvous/rendezvous.hpp"

namespace bowline::wireup {
namespace {

/// A single rank needs no peers. And the variables may belong to a shell that was started as one rank: a PMI server
/// greets a process once, but a shell starts many programs.
bool is_one_rank(const Launcher& launcher) {
  return launcher.wire == Wire::pmi && launcher.size != nullptr && number(launcher.size) == 1;
}

std::unique_ptr<Wireup> make_wireup_for(const Launcher& launcher) {
  if (launcher.wire == Wire::pmi) return make_pmi();
  const auto folder = relay_is_needed();
  return folder ? make_relayed(*folder) : make_pmix();
}

}  // namespace

std::unique_ptr<Wireup> connect() {
  const std::optional<RendezvousLine> rendezvous = take_rendezvous();
  const Launcher* const launcher = launcher_of_this_process();
  if (launcher != nullptr && launcher->wire != Wire::none && !is_one_rank(*launcher)) {
    if (rendezvous && number(launcher->rank) == 0) {
      log::warning("{} has no effect: a launcher has started this program, and gives its processes their ranks",
                   RendezvousLine::variable);
    }
    return make_wireup_for(*launcher);
  }
  if (rendezvous) return make_rendezvous(*rendezvous);
  tell_of_lone_ranks(launcher);
  return make_singleton();
}

}  // namespace bowline::wireup
