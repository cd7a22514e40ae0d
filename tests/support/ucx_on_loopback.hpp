// SPDX-License-Identifier: BSD-3-Clause
// A test program that includes this header runs UCX over TCP on loopback. UCX reads its variables once, when it is
// loaded.
#pragma once

#include <cstdlib>

namespace bowline::test {

[[maybe_unused]] inline const bool ucx_on_loopback = [] {
  setenv("UCX_TLS", "tcp,self", 1);
  setenv("UCX_NET_DEVICES", "lo", 1);
  return true;
}();

}  // namespace bowline::test
