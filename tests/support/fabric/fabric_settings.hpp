// SPDX-License-Identifier: BSD-3-Clause
// What tests may choose of the simulated fabric, by environment variables. They are read once, when the first device is
// listed or opened. A value that is not allowed ends the program with a sentence.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fabric {

struct Settings {
  std::string id;        ///< FABRIC_ID: processes with the same one share a fabric; default the user's number
  int host = 0;          ///< FABRIC_HOST: which of the fabric's hosts this process pretends to run on, 0 to 14
  int devices = 1;       ///< FABRIC_DEVICES: 0 to 4
  int ports = 1;         ///< FABRIC_PORTS: of each device, 1 to 4
  bool ethernet = true;  ///< FABRIC_LINK_LAYER: ethernet (addressed by GIDs) or infiniband (by LIDs)
  std::vector<std::string> inactive;  ///< FABRIC_INACTIVE: ports that are down, as fabric0:1,fabric1:2
  int max_inline = 128;               ///< FABRIC_MAX_INLINE: bytes, 0 to 256
  std::size_t locked = 0;             ///< FABRIC_LOCKED: bytes that may be registered at a time; 0 for no limit
  bool on_demand = false;             ///< FABRIC_ON_DEMAND=1: memory may also be registered without locking its pages
  bool deferred = false;              ///< FABRIC_DEFERRED=1: work starts with the next poll, not when it is posted
  bool pinned = false;  ///< FABRIC_PINNED=1: uses of memory that was mapped anew are found (pins.hpp); root only
  int down_after = -1;  ///< FABRIC_DOWN=OPERATIONS:MILLISECONDS[:PORT]: the ports of this process, or that one (as
  int down_for = 0;     ///< fabric1:1), go down after so many operations, for so long
  std::string down_port;
};

const Settings& settings();

}  // namespace fabric
