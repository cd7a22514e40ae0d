// SPDX-License-Identifier: BSD-3-Clause
// The loops of the operators for vectors of 32 bytes.
#define BOWLINE_TARGET [[gnu::target("avx2")]]
#include "dtype/kernels/kernel_table.hpp"

namespace bowline::dtype {

constinit const KernelTable avx2_kernels = make_table<Extent::vectorized_only>();

}  // namespace bowline::dtype
