// SPDX-License-Identifier: BSD-3-Clause
// The bytes between ranks become a matrix that fits into a picture.
#include "launcher/report/report_merging.hpp"

namespace bowline::launcher {
namespace {

constexpr int fewest_nodes = 8;  // a picture of fewer says little

/// The shape of the matrix, all zero.
TrafficMatrix empty_matrix(const JobReport& report) {
  const int nodes = static_cast<int>(report.hosts.size());
  const bool by_rank = report.ranks <= TrafficMatrix::most_cells || nodes < fewest_nodes;
  const int units = by_rank ? report.ranks : nodes;
  TrafficMatrix matrix{.unit = by_rank ? TrafficMatrix::Unit::rank : TrafficMatrix::Unit::node,
                       .per_cell = (units + TrafficMatrix::most_cells - 1) / TrafficMatrix::most_cells};
  matrix.cells = units == 0 ? 0 : (units + matrix.per_cell - 1) / matrix.per_cell;
  matrix.bytes.assign(static_cast<std::size_t>(matrix.cells) * static_cast<std::size_t>(matrix.cells), 0);
  return matrix;
}

}  // namespace

TrafficMatrix merged_traffic(std::span<const RankRecord> records, const JobReport& report) {
  TrafficMatrix matrix = empty_matrix(report);
  const auto node = [&report](int rank) { return report.node_of[static_cast<std::size_t>(rank)]; };
  const auto cell = [&matrix, &node](int rank) {
    const int unit = matrix.unit == TrafficMatrix::Unit::rank ? rank : node(rank);
    return unit < 0 ? -1 : unit / matrix.per_cell;
  };
  for (const RankRecord& record : records) {
    const int own = cell(record.rank);
    for (const RecordedTraffic& each : record.traffic) {
      const int other = cell(each.peer);
      if (own < 0 || other < 0) continue;
      matrix.bytes[static_cast<std::size_t>(own * matrix.cells + other)] += each.sent;
      matrix.bytes[static_cast<std::size_t>(other * matrix.cells + own)] += each.fetched;
      matrix.total += each.sent + each.fetched;
      const int here = node(record.rank), there = node(each.peer);
      if (here >= 0 && there >= 0 && here != there) matrix.between_nodes += each.sent + each.fetched;
    }
  }
  return matrix;
}

}  // namespace bowline::launcher
