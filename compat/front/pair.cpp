// SPDX-License-Identifier: BSD-3-Clause
#include "front/pair.hpp"

#include <mpi.h>

namespace front {

int special_in(std::span<const Pair> pairs, int here) noexcept {
  bool means_another = false;
  for (const Pair& pair : pairs) {
    if (pair.here == here) return pair.standard;
    means_another = means_another || pair.standard == here;
  }
  constexpr int nothing = -1'000'000;  // far from every special value
  return means_another ? nothing - here : here;
}

int special_out(std::span<const Pair> pairs, int standard, int otherwise) noexcept {
  for (const Pair& pair : pairs) {
    if (pair.standard == standard) return pair.here;
  }
  return otherwise;
}

int bits_in(std::span<const Pair> pairs, int here) noexcept {
  constexpr int unknown = 1 << 30;
  int standard = 0;
  for (const Pair& pair : pairs) {
    if ((here & pair.here) == 0) continue;
    standard |= pair.standard;
    here &= ~pair.here;
  }
  return here == 0 ? standard : standard | unknown;
}

int bits_out(std::span<const Pair> pairs, int standard) noexcept {
  int here = 0;
  for (const Pair& pair : pairs) {
    if ((standard & pair.standard) != 0) here |= pair.here;
  }
  return here;
}

int error_in(std::span<const Pair> pairs, int lastcode, int here) noexcept {
  return here >= lastcode ? MPI_ERR_LASTCODE + (here - lastcode) : special_in(pairs, here);
}

int error_out(std::span<const Pair> pairs, int lastcode, int standard) noexcept {
  if (standard >= MPI_ERR_LASTCODE) return lastcode + (standard - MPI_ERR_LASTCODE);
  return special_out(pairs, standard, special_out(pairs, MPI_ERR_OTHER, standard));
}

}  // namespace front
