// SPDX-License-Identifier: BSD-3-Clause
// Help for the bodies of one-sided communication.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>

#include "base/attributes.hpp"
#include "rma/window.hpp"

namespace bowline::api {

/// The table of the attribute keys of windows. The table lives until the process ends, because windows may live so
/// long.
KeyvalTable& win_keys();
/// Whether the key is that of a predefined attribute of windows.
bool is_predefined_win_key(int key) noexcept;
/// The key of an attribute of windows that the user may set or delete.
std::shared_ptr<const Keyval> own_win_key(int key);
/// The value of a predefined attribute as Fortran sees it.
std::intptr_t window_number(const rma::Window& win, int key);

/// Throws Error (assert) unless `assertion` has no other bits than `allowed`. `names`: the names of the allowed bits.
void check_assertion(int assertion, int allowed, const char* names);

}  // namespace bowline::api
