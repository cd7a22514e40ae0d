// SPDX-License-Identifier: BSD-3-Clause
// The parts of a job's report, each from the records of all ranks.
#pragma once

#include <span>
#include <vector>

#include "launcher/report/job_report.hpp"

namespace bowline::launcher {

std::vector<Site> merged_sites(std::span<const RankRecord> records);

/// Exact for up to 64 ranks. For more, by node; by ranges of ranks if there are few nodes, and by ranges of nodes if
/// there are many. Needs the hosts of the report. Leaves out what was sent to ranks whose node is not known.
TrafficMatrix merged_traffic(std::span<const RankRecord> records, const JobReport& report);

std::vector<MessageSizes> merged_sizes(std::span<const RankRecord> records);
std::vector<AdapterUse> merged_adapters(std::span<const RankRecord> records);

/// At most 200 points.
std::vector<MemoryPoint> merged_memory(std::span<const RankRecord> records);

}  // namespace bowline::launcher
