// SPDX-License-Identifier: BSD-3-Clause
// Grids: how to choose the dimensions of one (MPI-5.0, section 8.5.2). Pure functions.
#pragma once

#include <vector>

namespace bowline::comm {

/// The `count` factors of `product`, largest first, that are as close to each other as they can be: the largest is as
/// small as possible, among those the second largest, and so on.
std::vector<int> balanced_factors(int product, int count);

}  // namespace bowline::comm
