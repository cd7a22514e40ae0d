// SPDX-License-Identifier: BSD-3-Clause
// The loops of the operators for the baseline of the architecture.
#define BOWLINE_TARGET
#include "dtype/kernels/kernel_table.hpp"

namespace bowline::dtype {

constinit const KernelTable baseline_kernels = make_table<Extent::all>();

}  // namespace bowline::dtype
