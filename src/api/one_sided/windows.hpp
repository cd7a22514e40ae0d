// SPDX-License-Identifier: BSD-3-Clause
// Help for the bodies of one-sided communication.
#pragma once

#include <mpi.h>

#include "base/attributes.hpp"
#include "rma/window.hpp"

namespace bowline::api {

/// The table of the attribute keys of windows. It lives until the process ends, because windows may.
KeyvalTable& win_keys();

/// Throws Error (assert) unless `assertion` has no other bits than `allowed`. `names`: of these bits.
void check_assertion(int assertion, int allowed, const char* names);

}  // namespace bowline::api
