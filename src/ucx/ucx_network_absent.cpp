// SPDX-License-Identifier: BSD-3-Clause
// Replaces ucx_network.cpp in builds without UCX.
#include "base/error.hpp"
#include "ucx/ucx_network.hpp"

namespace bowline::ucx {

std::unique_ptr<transport::Network> make_network(unsigned, transport::Reach) {
  throw Error(
      ErrorClass::other,
      "ranks on different nodes talk through UCX, but Bowline was built without it: build it where UCX's headers "
      "are installed (Debian: libucx-dev), or start all ranks on one node");
}

transport::Limits default_limits() noexcept {
  return {};
}

}  // namespace bowline::ucx
