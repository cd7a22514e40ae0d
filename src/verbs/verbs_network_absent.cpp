// SPDX-License-Identifier: BSD-3-Clause
// Replaces verbs_network.cpp in builds without libibverbs's header.
#include "base/error.hpp"
#include "verbs/verbs_network.hpp"

namespace bowline::verbs {
namespace {

Error not_built() {
  return {
      ErrorClass::other,
      "Bowline was built without support for using RDMA adapters by itself: build it where libibverbs's headers are "
      "installed (Debian: libibverbs-dev), or set BOWLINE_NETWORK=ucx"};
}

}  // namespace

std::unique_ptr<transport::Network> make_network(unsigned, transport::Reach) {
  throw not_built();
}

transport::Limits default_limits() noexcept {
  return {};
}

bool may_have_adapters() noexcept {
  return false;
}

std::vector<std::string> describe_ports() {
  throw not_built();
}

}  // namespace bowline::verbs
