// SPDX-License-Identifier: BSD-3-Clause
// Chooses the loop for an operator on an element on this processor.
#include "dtype/kernels/kernels.hpp"

#ifdef __aarch64__
#include <sys/auxv.h>
#include <sys/prctl.h>
#endif

#include "dtype/groups.hpp"

namespace bowline::dtype {
namespace {

/// For each operator and element the loop of the widest available instruction set that has a loop for them.
std::array<KernelRow, operator_count> widest(bool standard_only) noexcept {
  std::array<KernelRow, operator_count> rows{};
  for (std::size_t set = 0; set < static_cast<std::size_t>(InstructionSet::count_); ++set) {
    const auto instructions = static_cast<InstructionSet>(set);
    if (!available(instructions)) continue;
    const KernelTable& kernels = kernels_for(instructions);
    for (std::size_t op = 0; op < operator_count; ++op) {
      for (std::size_t element = 0; element < element_count; ++element) {
        if (standard_only && !defined(static_cast<Operator>(op), static_cast<Element>(element))) continue;
        if (kernels[op][element] != nullptr) rows[op][element] = kernels[op][element];
      }
    }
  }
  return rows;
}

std::array<KernelRow, operator_count> chosen = widest(false);  // initialized when the library is loaded, before any use

}  // namespace

#ifdef __x86_64__

bool available(InstructionSet instructions) noexcept {
  __builtin_cpu_init();
  switch (instructions) {
    case InstructionSet::avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case InstructionSet::avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
             __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0;
    default:
      return instructions == InstructionSet::baseline;
  }
}

const KernelTable& kernels_for(InstructionSet instructions) noexcept {
  switch (instructions) {
    case InstructionSet::avx2:
      return avx2_kernels;
    case InstructionSet::avx512:
      return avx512_kernels;
    default:
      return baseline_kernels;
  }
}

#elif defined(__aarch64__)

bool available(InstructionSet instructions) noexcept {
  if (instructions != InstructionSet::sve) return instructions == InstructionSet::baseline;
  if ((getauxval(AT_HWCAP) & HWCAP_SVE) == 0) return false;
  constexpr int least_bytes = 32;
  const int length = prctl(PR_SVE_GET_VL);
  return length >= 0 && (length & PR_SVE_VL_LEN_MASK) >= least_bytes;
}

const KernelTable& kernels_for(InstructionSet instructions) noexcept {
  return instructions == InstructionSet::sve ? sve_kernels : baseline_kernels;
}

#else

bool available(InstructionSet instructions) noexcept {
  return instructions == InstructionSet::baseline;
}

const KernelTable& kernels_for(InstructionSet /*instructions*/) noexcept {
  return baseline_kernels;
}

#endif

const KernelRow& kernels_of(Operator op) noexcept {
  return chosen[static_cast<std::size_t>(op)];
}

void keep_operators_to_the_standard(bool yes) noexcept {
  chosen = widest(yes);
}

}  // namespace bowline::dtype
