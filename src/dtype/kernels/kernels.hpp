// SPDX-License-Identifier: BSD-3-Clause
// The loops of the predefined operators, compiled for several instruction sets from one text.
#pragma once

#include <array>

#include "dtype/op.hpp"

namespace bowline::dtype {

/// The baseline is SSE2 on x86 and NEON on 64-bit ARM. `sve`: vectors of 32 bytes or more; those of 16 bytes take more
/// instructions than NEON.
enum class InstructionSet : std::uint8_t { baseline, avx2, avx512, sve, count_ };

/// Whether this processor has the instruction set and the library contains code for it.
bool available(InstructionSet instructions) noexcept;

using KernelTable = std::array<std::array<Kernel, element_count>, operator_count>;

// The kernels; a kernel is nullptr if the operator is neither defined nor understood; above the baseline also if wider
// instructions do not help. Those of another architecture are not defined.
extern const KernelTable baseline_kernels;
extern const KernelTable avx2_kernels;
extern const KernelTable avx512_kernels;
extern const KernelTable sve_kernels;

const KernelTable& kernels_for(InstructionSet instructions) noexcept;

}  // namespace bowline::dtype
