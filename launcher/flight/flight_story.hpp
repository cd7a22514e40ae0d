// SPDX-License-Identifier: BSD-3-Clause
// How a job ended, according to the recordings of its ranks: which rank ended first, and who waited for whom then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "launcher/flight/flight_record.hpp"
#include "launcher/flight/flight_spans.hpp"

namespace bowline::launcher {

/// The rank that ended first, if the launcher has seen it.
struct FirstLoss {
  int rank = 0;
  std::string sentence{};  ///< how it ended: "rank 3 on n0 was killed by signal 9", without a full stop
};

struct FlightOptions {
  std::optional<double> last{};  ///< seconds before the end that are to be shown; a second if it is empty
  std::optional<FirstLoss> first_loss{};
  bool running = false;  ///< the job still runs: only those ranks are lost whose end others have noticed
};

/// A rank in the story.
struct RankStory {
  const RankFlight* flight = nullptr;
  std::vector<FlightSpan> spans{};
  std::int64_t last = 0;   ///< time of its last event, or of its MPI_Finalize
  std::int64_t until = 0;  ///< up to then it lived, as far as is known: spans without an end last until then
  bool lost = false;       ///< it has ended without MPI_Finalize
};

/// A rank that waited at the moment of the story.
struct WaitingRank {
  int rank = 0;
  int peer = -1;            ///< for which process it waited; -1: for several, or for any
  std::string operation{};  ///< the collective call in which it waited; empty: another call
  std::int64_t since = 0;
  /// Of a collective call in which it waited for several: the place of the member that had not come, or not completed
  /// it, which is the rank that ended first.
  bool for_first = false;
  bool first_had_begun = false;
};

struct FlightStory {
  const JobFlight* job = nullptr;
  bool running = false;
  std::vector<RankStory> ranks{};      ///< as in the job's recordings
  std::vector<int> lost{};             ///< ranks that have ended without MPI_Finalize
  std::vector<int> missing{};          ///< ranks without a recording
  std::optional<std::size_t> first{};  ///< place in `ranks` of the lost rank that ended first
  bool first_is_certain = false;       ///< the launcher or others noticed, or no other one is lost
  std::string cause{};                 ///< how it ended, if the launcher has seen it
  std::optional<int> noticed_by{};     ///< the rank that noticed its end first
  std::int64_t noticed = 0;            ///< when
  std::int64_t moment = 0;             ///< just before that; the last moment of the job if nobody noticed anything
  std::vector<WaitingRank> waiting{};  ///< at the moment
  std::int64_t begin = 0, end = 0;     ///< what is to be shown; end > begin

  const RankStory* first_rank() const { return first ? &ranks[*first] : nullptr; }
};

/// `job` must stay.
FlightStory story_of(const JobFlight& job, const FlightOptions& options);

/// In sentences: what matters most is the first one. Has at least one.
std::vector<std::string> story_in_words(const FlightStory& story);

/// The places of at most so many ranks, in the order of ranks: those that matter most.
std::vector<std::size_t> telling_ranks(const FlightStory& story, std::size_t most);

}  // namespace bowline::launcher
