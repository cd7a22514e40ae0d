// SPDX-License-Identifier: BSD-3-Clause
// Grids: the choice of their dimensions (MPI-5.0, section 8.5.2). Pure functions.
#pragma once

#include <vector>

namespace bowline::comm {

/// The `count` factors of `product`, largest first, that are as close to each other as they can be: the largest and the
/// smallest differ as little as possible (J. L. Traeff, F. D. Luebbe, "Specification guideline violations by
/// MPI_Dims_create", EuroMPI 2015). If several factorizations are equal in this respect, the result is the
/// factorization with the largest smallest factor; then with the largest second smallest factor, and so on.
std::vector<int> balanced_factors(int product, int count);

}  // namespace bowline::comm
