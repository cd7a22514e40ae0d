// SPDX-License-Identifier: BSD-3-Clause
// What the PMIx server does about processes that are lost while their job goes on.
//
// PMIx itself ends a fence or a connect in progress with an error for the others when one of its participants loses its
// connection. Later ones would wait for the lost process for ever, so the server forgets it: then PMIx passes the
// operation on to the host, which refuses it.
#pragma once
#include <pmix_common.h>

#include <cstddef>
#include <string>
#include <vector>

#include "launcher/job/rank_id.hpp"

namespace bowline::launcher {

/// To exist while the server is initialized. Then PMIx tells of a lost connection at once (by default it collects
/// losses for a second), and is silent about messages that it cannot deliver to a rank that is lost by then.
class PmixExpectsLosses {
 public:
  PmixExpectsLosses();
  ~PmixExpectsLosses();
  PmixExpectsLosses(const PmixExpectsLosses&) = delete;
  PmixExpectsLosses& operator=(const PmixExpectsLosses&) = delete;

 private:
  std::vector<const char*> set_;  ///< variables
};

/// From now on the server forgets processes that are lost. To be called once the server runs. Throws LaunchError.
void watch_lost_connections();

/// What a fence or a connect of these processes ends with: success, or an error if one of them is lost. Callable on any
/// thread.
pmix_status_t status_of_collective(const pmix_proc_t processes[], std::size_t count);

/// The ranks of a namespace that the server does not know any more.
void forget_losses_of(const std::string& job);

/// Tells all ranks that have asked PMIx for such events that a rank is lost: PMIX_ERR_PROC_ABORTED_BY_SIG or
/// PMIX_ERR_PROC_TERM_WO_SYNC, whose source is that rank, and whose PMIX_EVENT_TEXT_MESSAGE is the sentence. Does not
/// wait. Nothing happens if PMIx cannot.
void tell_loss(const RankId& lost, bool by_signal, const std::string& sentence) noexcept;

}  // namespace bowline::launcher
