// SPDX-License-Identifier: BSD-3-Clause
// The loops of the predefined operators, compiled for several instruction sets from one text.
#pragma once

#include <array>

#include "dtype/op.hpp"

namespace bowline::dtype {

enum class InstructionSet : std::uint8_t { baseline, avx2, avx512, count_ };

/// Whether this processor has the instruction set and the library contains code for it.
bool available(InstructionSet instructions) noexcept;

using KernelTable = std::array<std::array<Kernel, element_count>, operator_count>;

// The kernels; a kernel is nullptr if the operator is neither defined nor understood; above the baseline also if wider
// instructions do not help.
extern const KernelTable baseline_kernels;
extern const KernelTable avx2_kernels;
extern const KernelTable avx512_kernels;

const KernelTable& kernels_for(InstructionSet instructions) noexcept;

}  // namespace bowline::dtype
