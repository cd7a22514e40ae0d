// SPDX-License-Identifier: BSD-3-Clause
// The value of mpiexec --chaos.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bowline::launcher {

enum class ChaosKind : std::uint8_t {
  kill,
  stop,   ///< for long enough that others have to wait
  delay,  ///< for as long as a busy system may
  link,   ///< breaks the TCP connections between two ranks
};

struct ChaosSettings {
  std::uint64_t seed = 0;
  double rate = 1;  ///< mean number of deeds in a second
  std::vector<ChaosKind> kinds = {ChaosKind::kill, ChaosKind::stop,
                                  ChaosKind::delay};  ///< each once, in the order of ChaosKind
  std::optional<int> most;                            ///< number of ranks that may be killed; never the last one
  std::chrono::milliseconds after{0};                 ///< no deed before
  bool from_start = false;  ///< time counts from the start of the ranks, else from that of MPI in all ranks
};

/// Reads SEED[,rate=R][,kinds=KIND,KIND ...][,most=N][,after=SECONDS][,from=start|init]. Throws UsageError.
ChaosSettings parse_chaos(std::string_view text);

}  // namespace bowline::launcher
