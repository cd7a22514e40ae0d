// SPDX-License-Identifier: BSD-3-Clause
// The loops of the operators for vectors of 64 bytes.
#ifdef __clang__
#define BOWLINE_TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] [[clang::min_vector_width(512)]]
#else
#define BOWLINE_TARGET [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")]]
#endif
#include "dtype/kernels/kernel_table.hpp"

namespace bowline::dtype {

constinit const KernelTable avx512_kernels = make_table<Extent::vectorized_only>();

}  // namespace bowline::dtype
