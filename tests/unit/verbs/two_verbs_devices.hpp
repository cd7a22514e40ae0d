// SPDX-License-Identifier: BSD-3-Clause
// Two verbs devices of one process on the simulated fabric, and what hears of their messages.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/tunable.hpp"
#include "support/network_behaviour.hpp"
#include "support/setting.hpp"
#include "verbs/verbs_adapter.hpp"
#include "verbs/verbs_device.hpp"
#include "verbs/verbs_endpoint.hpp"
#include "verbs/verbs_port.hpp"

namespace bowline::verbs {

using test::Arrival;
using test::Bytes;
using test::Clock;
using test::Collector;
using test::Ends;
using test::patience;
using test::pattern;
using transport::Access;
using transport::Header;
using transport::Post;

/// A fabric of this process alone: the links of others fail in their tests.
inline const int own_fabric = setenv("FABRIC_ID", ("unit-verbs-" + std::to_string(getpid())).c_str(), 1);

/// Makes devices of one adapter.
struct SimulatedFabric {
  using Device = VerbsDevice;
  VerbsDevice device(int rank, int processes, const char* host) { return {adapter, rank, processes, host}; }

  /// BOWLINE_VERBS_CONNECT=cm in the environment lets the tests use the connection manager.
  static Port first_port() {
    tunables::load_environment();
    return survey_ports().front();
  }

  Adapter adapter{first_port()};
};

class Verbs : public test::NetworkBehaviour<SimulatedFabric> {
 protected:
  Adapter& adapter = network.adapter;
};

}  // namespace bowline::verbs
