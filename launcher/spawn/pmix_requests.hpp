// SPDX-License-Identifier: BSD-3-Clause
// Converts the requests of PMIx's clients and the answers to them.
#pragma once
#include <pmix_server.h>

#include <span>

#include "launcher/spawn/rank_request.hpp"

namespace bowline::launcher {

/// The request of a process. Copies all arguments, which PMIx owns. The answer is passed to `done`, with `context`, on
/// PMIx's thread: only there it is safe, because `done` uses the connection to the process.
RankRequest spawn_request(RankId of, std::span<const pmix_info_t> info, std::span<const pmix_app_t> apps,
                          pmix_spawn_cbfunc_t done, void* context);
RankRequest publish_request(RankId of, std::span<const pmix_info_t> info, pmix_op_cbfunc_t done, void* context);
RankRequest lookup_request(RankId of, char* const* keys, std::span<const pmix_info_t> info, pmix_lookup_cbfunc_t done,
                           void* context);
RankRequest unpublish_request(RankId of, char* const* keys, pmix_op_cbfunc_t done, void* context);

}  // namespace bowline::launcher
