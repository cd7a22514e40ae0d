// SPDX-License-Identifier: BSD-3-Clause
// The same program as C++.
#include "ranks.c"
