// SPDX-License-Identifier: BSD-3-Clause
#include "comm/topology.hpp"

namespace bowline::comm {

std::vector<int> Cartesian::coordinates(int rank) const {
  std::vector<int> result(dims.size());
  for (std::size_t d = dims.size(); d-- > 0; rank /= dims[d]) result[d] = rank % dims[d];
  return result;
}

int Cartesian::rank(const std::vector<int>& coordinates) const {
  int rank = 0;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    int place = coordinates[d] % dims[d];
    if (place < 0) place += dims[d];
    rank = rank * dims[d] + place;
  }
  return rank;
}

}  // namespace bowline::comm
