// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a report as people read them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "launcher/report/job_report.hpp"

namespace bowline::launcher {

std::string seconds_in_words(double seconds);           ///< "12.3 s", "45.6 ms", "12 min 5 s"
std::string bytes_in_words(double bytes);               ///< "512 B", "1.5 GiB"
std::string share_in_words(double part, double whole);  ///< "34 %", "0.4 %"
std::string count_in_words(std::uint64_t number);       ///< "1,234,567"

/// "1 rank", "4,096 ranks".
std::string counted(std::uint64_t number, std::string_view one, std::string_view many);

/// "0 to 2, 4 and 6"; of many the first ones, "and 12 more". They must be in ascending order.
std::string ranks_in_words(std::span<const int> ranks);

/// "rank 3 (2.1 s) and rank 5 (0.3 s)", the first few.
std::string waits_in_words(std::span<const WaitedFor> waits);

/// Exact, of a power of two: "512 B", "4 KiB".
std::string power_in_words(std::uint64_t bytes);
/// "4 KiB to 8 KiB", what is at least `lower` and less than the next power of two; "0 B", "1 B".
std::string sizes_in_words(std::uint64_t lower);

std::string shortened(std::string_view text, std::size_t most);

/// How many of the sites, the longest first, matter: those that take a thousandth of `whole`, and a few more.
std::size_t sites_to_show(const JobReport& report, double whole, std::size_t most);

/// "8 ranks on 2 nodes", and if known the date and the version.
std::string title_in_words(const JobReport& report);

}  // namespace bowline::launcher
