// SPDX-License-Identifier: BSD-3-Clause
#include "comm/mapping.hpp"

#include <algorithm>
#include <numeric>
#include <queue>

namespace bowline::comm {
namespace {

/// Sorts processes by parts of the machine; ranks of the same place stay in order.
std::vector<int> in_machine_order(std::span<const HardwarePlace> processes) {
  std::vector<int> order(processes.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int process) { return processes[static_cast<std::size_t>(process)].part; });
  return order;
}

/// The first level at which neighbouring processes differ; `levels` if they are in the same place.
std::size_t boundary(const HardwarePlace& a, const HardwarePlace& b) {
  std::size_t level = 0;
  while (level < HardwarePlace::levels && a.part[level] == b.part[level]) ++level;
  return level;
}

using Coordinates = std::vector<int>;

class Bisection {
 public:
  Bisection(const Cartesian& grid, std::span<const HardwarePlace> places, std::vector<int> order)
      : grid_(grid), places_(places), order_(std::move(order)), result_(order_.size()) {}

  std::vector<int> run() {
    std::vector<Coordinates> cells;
    cells.reserve(order_.size());
    for (int rank = 0; rank < static_cast<int>(order_.size()); ++rank) cells.push_back(grid_.coordinates(rank));
    divide(cells, 0);
    return std::move(result_);
  }

 private:
  const HardwarePlace& place(std::size_t i) const { return places_[static_cast<std::size_t>(order_[i])]; }

  /// Where to cut the processes begin .. begin + count: at the widest boundary that is nearest to the middle.
  std::size_t cut(std::size_t begin, std::size_t count) const {
    std::size_t best = count / 2, best_level = HardwarePlace::levels + 1, best_way = count;
    for (std::size_t i = 1; i < count; ++i) {
      const std::size_t level = boundary(place(begin + i - 1), place(begin + i));
      const std::size_t way = i > count / 2 ? i - count / 2 : count / 2 - i;
      if (level > best_level || (level == best_level && way >= best_way)) continue;
      best = i;
      best_level = level;
      best_way = way;
    }
    return best;
  }

  /// Sorts the cells into layers across the longest side of their box.
  void sort_across(std::vector<Coordinates>& cells) const {
    std::size_t longest = 0;
    int longest_side = -1;
    for (std::size_t d = 0; d < grid_.dims.size(); ++d) {
      const auto [low, high] = std::ranges::minmax(cells, {}, [d](const Coordinates& cell) { return cell[d]; });
      if (high[d] - low[d] <= longest_side) continue;
      longest = d;
      longest_side = high[d] - low[d];
    }
    std::ranges::stable_sort(cells, {}, [longest](const Coordinates& cell) { return cell[longest]; });
  }

  void divide(std::vector<Coordinates>& cells, std::size_t begin) {
    if (cells.size() == 1) {
      result_[static_cast<std::size_t>(grid_.rank(cells[0]))] = order_[begin];
      return;
    }
    sort_across(cells);
    const auto first = static_cast<std::ptrdiff_t>(cut(begin, cells.size()));
    std::vector<Coordinates> low(cells.begin(), cells.begin() + first), high(cells.begin() + first, cells.end());
    cells.clear();
    divide(low, begin);
    divide(high, begin + static_cast<std::size_t>(first));
  }

  const Cartesian& grid_;
  std::span<const HardwarePlace> places_;
  std::vector<int> order_;   ///< processes in the order of the machine
  std::vector<int> result_;  ///< processes by rank in the grid
};

/// The mapping, or an empty one if it brings no neighbours closer to each other.
std::vector<int> if_better(std::vector<int> mapping, const std::vector<std::vector<int>>& neighbours,
                           std::span<const HardwarePlace> processes) {
  std::vector<int> as_they_are(mapping.size());
  std::iota(as_they_are.begin(), as_they_are.end(), 0);
  for (std::size_t level = 0; level < HardwarePlace::levels; ++level) {
    const std::size_t before = count_crossings(neighbours, as_they_are, processes, level);
    const std::size_t after = count_crossings(neighbours, mapping, processes, level);
    if (before != after) return after < before ? mapping : as_they_are;
  }
  return as_they_are;
}

}  // namespace

std::vector<int> map_grid(const Cartesian& grid, std::span<const HardwarePlace> processes) {
  std::size_t size = 1;
  for (const int dim : grid.dims) size *= static_cast<std::size_t>(dim);
  std::vector<int> order = in_machine_order(processes);
  order.resize(size);
  if (grid.dims.empty()) return order;
  return if_better(Bisection(grid, processes, std::move(order)).run(), neighbours_of(grid), processes);
}

std::vector<int> map_graph(const std::vector<std::vector<int>>& neighbours, std::span<const HardwarePlace> processes) {
  const std::size_t size = neighbours.size();
  std::vector<int> order = in_machine_order(processes);
  order.resize(size);
  std::vector<int> result(size, -1), pull(size, 0);
  std::priority_queue<std::pair<int, int>> candidates;  // edges into the current part, negated vertex
  std::size_t unplaced = 0;                             // all vertices below it have a process
  for (std::size_t i = 0; i < size; ++i) {
    const bool new_node = i > 0 && boundary(processes[static_cast<std::size_t>(order[i - 1])],
                                            processes[static_cast<std::size_t>(order[i])]) == 0;
    if (new_node) {
      candidates = {};
      std::ranges::fill(pull, 0);
    }
    int vertex = -1;
    while (!candidates.empty() && vertex < 0) {
      const auto [edges, minus] = candidates.top();
      candidates.pop();
      const auto index = static_cast<std::size_t>(-minus);
      if (result[index] < 0 && pull[index] == edges) vertex = -minus;
    }
    if (vertex < 0) {
      while (result[unplaced] >= 0) ++unplaced;
      vertex = static_cast<int>(unplaced);
    }
    result[static_cast<std::size_t>(vertex)] = order[i];
    for (const int next : neighbours[static_cast<std::size_t>(vertex)]) {
      const auto index = static_cast<std::size_t>(next);
      if (result[index] < 0) candidates.emplace(++pull[index], -next);
    }
  }
  return if_better(std::move(result), neighbours, processes);
}

std::vector<std::vector<int>> neighbours_of(const Cartesian& grid) {
  int size = 1;
  for (const int dim : grid.dims) size *= dim;
  std::vector<std::vector<int>> result(static_cast<std::size_t>(size));
  for (int rank = 0; rank < size; ++rank) {
    for (std::size_t d = 0; d < grid.dims.size(); ++d) {
      for (const int step : {-1, 1}) {
        Coordinates there = grid.coordinates(rank);
        there[d] += step;
        const bool inside = there[d] >= 0 && there[d] < grid.dims[d];
        if (inside || grid.periodic[d]) result[static_cast<std::size_t>(rank)].push_back(grid.rank(there));
      }
    }
  }
  return result;
}

std::size_t count_crossings(const std::vector<std::vector<int>>& neighbours, std::span<const int> process,
                            std::span<const HardwarePlace> processes, std::size_t level) {
  std::size_t count = 0;
  const auto place = [&](std::size_t vertex) { return processes[static_cast<std::size_t>(process[vertex])]; };
  for (std::size_t vertex = 0; vertex < neighbours.size(); ++vertex) {
    for (const int next : neighbours[vertex]) {
      if (boundary(place(vertex), place(static_cast<std::size_t>(next))) <= level) ++count;
    }
  }
  return count;
}

}  // namespace bowline::comm
