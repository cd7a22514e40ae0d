// SPDX-License-Identifier: BSD-3-Clause
// Two UCX devices of one process over TCP on loopback, and what hears of their messages.
#pragma once

#include "base/error.hpp"
#include "support/network_behaviour.hpp"
#include "support/setting.hpp"
#include "support/ucx_on_loopback.hpp"
#include "ucx/ucx_context.hpp"
#include "ucx/ucx_device.hpp"
#include "ucx/ucx_endpoint.hpp"

namespace bowline::ucx {

using transport::Access;
using transport::Header;
using transport::Post;
using Bytes = test::Bytes;
using test::Arrival;
using test::Clock;
using test::Collector;
using test::Ends;
using test::one_run;
using test::patience;
using test::pattern;

/// Makes devices that get from the memory of peers.
struct UcxOnLoopback {
  using Device = UcxDevice;
  UcxDevice device(int rank, int processes, const char* host) { return {context, rank, processes, host}; }

  test::Setting reads_memory{"ucx_remote_memory", "get"};
  Context context{2, transport::Reach::everywhere};
};

class Ucx : public test::NetworkBehaviour<UcxOnLoopback> {
 protected:
  Context& context = network.context;
};

}  // namespace bowline::ucx
