// SPDX-License-Identifier: BSD-3-Clause
// The choice between a launcher, a rendezvous and none.
#include "wireup/wireup.hpp"

#include <cstdlib>

#include "base/log.hpp"
#include "wireup/environment_variable.hpp"
#include "wireup/other_launcher.hpp"
#include "wireup/relay.hpp"
#include "wireup/rendezvous/rendezvous.hpp"

namespace bowline::wireup {
namespace {

// A PMIx server identifies its clients by these two variables. Slurm's own variables prove nothing: a program that is
// started by hand in an allocation's shell has them too.
bool has_server() {
  return std::getenv("PMIX_NAMESPACE") != nullptr && std::getenv("PMIX_RANK") != nullptr;
}

}  // namespace

std::unique_ptr<Wireup> connect() {
  const std::optional<RendezvousLine> rendezvous = take_rendezvous();
  if (has_server()) {
    if (rendezvous && number("PMIX_RANK") == 0) {
      log::warning("{} has no effect: a launcher has started this program, and gives its processes their ranks",
                   RendezvousLine::variable);
    }
    const auto folder = relay_is_needed();
    return folder ? make_relayed(*folder) : make_pmix();
  }
  if (rendezvous) return make_rendezvous(*rendezvous);
  check_alone();
  return make_singleton();
}

}  // namespace bowline::wireup
