// SPDX-License-Identifier: BSD-3-Clause
// Whether ports reach the fabric.
#pragma once

namespace fabric {

bool link_is_up(int fabric_port);

/// Counts an operation of this process, and takes its ports down when FABRIC_DOWN says so.
void count_towards_link_down();

}  // namespace fabric
