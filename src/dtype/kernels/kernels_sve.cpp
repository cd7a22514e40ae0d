// SPDX-License-Identifier: BSD-3-Clause
// The loops of the operators for the scalable vectors of 64-bit ARM.
#define BOWLINE_TARGET [[gnu::target("+sve")]]
#define BOWLINE_VECTORS_OF_ANY_LENGTH
#include "dtype/kernels/kernel_table.hpp"

namespace bowline::dtype {

constinit const KernelTable sve_kernels = make_table<Extent::vectorized_only>();

}  // namespace bowline::dtype
