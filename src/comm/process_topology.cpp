// SPDX-License-Identifier: BSD-3-Clause
#include "comm/process_topology.hpp"

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

void Cartesian::neighbours(int rank, int* result) const noexcept {
  int stride = 1;  // distance of neighbouring ranks in dimension d
  for (std::size_t d = dims.size(); d-- > 0; stride *= dims[d]) {
    const int place = rank / stride % dims[d];
    for (const int step : {-1, 1}) {
      int there = place + step;
      const bool outside = there < 0 || there >= dims[d];
      if (outside) there -= step * dims[d];
      result[2 * d + (step > 0 ? 1 : 0)] = outside && !periodic[d] ? -1 : rank + (there - place) * stride;
    }
  }
}

std::span<const int> Graph::neighbours(int rank) const noexcept {
  const auto r = static_cast<std::size_t>(rank);
  const auto begin = static_cast<std::size_t>(rank == 0 ? 0 : index[r - 1]);
  return std::span(edges).subspan(begin, static_cast<std::size_t>(index[r]) - begin);
}

}  // namespace bowline::comm
