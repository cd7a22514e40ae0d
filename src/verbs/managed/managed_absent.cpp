// SPDX-License-Identifier: BSD-3-Clause
// Replaces the other files of this folder in builds without librdmacm's header.
#include "base/error.hpp"
#include "verbs/connection/connection_manager.hpp"
#include "verbs/managed/managed_adapters.hpp"

namespace bowline::verbs {
namespace {

Error not_built() {
  return {ErrorClass::other,
          "its queue pairs are connected through librdmacm, but Bowline was built without it: build it where "
          "librdmacm's headers are installed (Debian: librdmacm-dev)"};
}

}  // namespace

ibv_context* managed_context(const std::string&) {
  throw not_built();
}

SocketAddress find_interface(const Port&) {
  throw not_built();
}

std::unique_ptr<ConnectionManager> make_connection_manager(Adapter&, std::uint64_t) {
  throw not_built();
}

}  // namespace bowline::verbs
