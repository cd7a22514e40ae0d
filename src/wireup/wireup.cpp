// SPDX-License-Identifier: BSD-3-Clause
// The choice between a launcher and none.
#include "wireup/wireup.hpp"

#include <cstdlib>

#include "wireup/other_launcher.hpp"
#include "wireup/relay.hpp"

namespace bowline::wireup {
namespace {

// A PMIx server identifies its clients by these two variables. Slurm's own variables prove nothing: a program that is
// started by hand in an allocation's shell has them too.
bool has_server() {
  return std::getenv("PMIX_NAMESPACE") != nullptr && std::getenv("PMIX_RANK") != nullptr;
}

}  // namespace

std::unique_ptr<Wireup> connect() {
  if (has_server()) {
    const auto folder = relay_is_needed();
    return folder ? make_relayed(*folder) : make_pmix();
  }
  check_alone();
  return make_singleton();
}

}  // namespace bowline::wireup
