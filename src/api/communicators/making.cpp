// SPDX-License-Identifier: BSD-3-Clause
#include "api/communicators/making.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/entry/communicator_handles.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "coll/selection/rules.hpp"

namespace bowline::api {
namespace {

constexpr std::array<std::string_view, 5> known_hints = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source",
                                                         "mpi_assert_exact_length", "mpi_assert_allow_overtaking",
                                                         "mpi_assert_strict_persistent_collective_ordering"};

/// The hint that chooses the algorithms of the communicator's collectives. All members must give the same value.
constexpr std::string_view rules_hint = "bowline_collectives";

/// How long a call may wait for operations of the communicator, in seconds; 0 for no limit.
constexpr std::string_view timeout_hint = "bowline_timeout";

void note_timeout(comm::Communicator& comm, const std::string& text) {
  constexpr double longest = 1e9;
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, seconds, std::chars_format::fixed);
  if (error != std::errc() || read_to != end || !(seconds >= 0 && seconds <= longest)) {  // an invalid hint is no error
    if (comm.team().rank == 0)
      log::warning(
          "the hint {} is \"{}\", but it is a number of seconds from 0 (no limit) to 1000000000; it is ignored",
          timeout_hint, text);
    return;
  }
  comm.set_time_limit(seconds);
  comm.hints().set(timeout_hint, text);
}

void note_rules(comm::Communicator& comm, const std::string& text) {
  try {
    auto rules = std::make_shared<coll::Rules>();
    coll::parse_rules(text, fmt::format("the hint {}", rules_hint), *rules);
    comm.local_team().rules = comm.team().rules = std::move(rules);
    for (coll::Team* const team : {&comm.local_team(), &comm.team()})
      team->blocking.choices = team->nonblocking.choices = nullptr;
    comm.hints().set(rules_hint, text);
  } catch (const Error& error) {  // an invalid hint is no error
    if (comm.team().rank == 0) log::warning("{}; the hint is ignored", error.what());
  }
}

}  // namespace

MPI_Comm make_or_decline(const comm::Communicator& parent, comm::ContextId id, const comm::Group& members) {
  comm::Communicators& all = this_process().communicators();
  if (members.rank_of(all.process()) == comm::Group::no_rank) {
    all.decline(id);
    return MPI_COMM_NULL;
  }
  comm::Communicator& made = all.make(id, members);
  made.set_error_handler(*parent.error_handler());
  return to_handle(made);
}

MPI_Comm make_or_decline(const comm::Communicator& parent, comm::ContextId id, const comm::Group& local,
                         const comm::Group& remote, bool local_first) {
  comm::Communicators& all = this_process().communicators();
  if (local.rank_of(all.process()) == comm::Group::no_rank || remote.size() == 0) {
    all.decline(id);
    return MPI_COMM_NULL;
  }
  comm::Communicator& made = all.make(id, local, {.remote = remote, .local_first = local_first});
  made.set_error_handler(*parent.error_handler());
  return to_handle(made);
}

comm::Communicator& make_like(comm::Communicator& parent, comm::ContextId id, const Info& hints) {
  comm::Communicators& all = this_process().communicators();
  comm::Communicator& made =
      parent.inter() ? all.make(id, parent.group(), *parent.bridge()) : all.make(id, parent.group());
  made.set_error_handler(*parent.error_handler());
  made.set_topology(parent.shared_topology());
  note_hints(made, hints);
  return made;
}

void note_hints(comm::Communicator& comm, const Info& hints) {
  for (const std::string_view key : known_hints) {
    const std::string* const value = hints.find(key);
    if (value != nullptr && (*value == "true" || *value == "false")) comm.hints().set(key, *value);
  }
  if (const std::string* const rules = hints.find(rules_hint)) note_rules(comm, *rules);
  if (const std::string* const timeout = hints.find(timeout_hint)) note_timeout(comm, *timeout);
}

comm::Group split_group(const comm::Group& old, std::span<const SplitPlace> places, int color) {
  std::vector<std::pair<int, int>> members;  // key, rank
  for (int rank = 0; rank < old.size(); ++rank) {
    const SplitPlace& place = places[static_cast<std::size_t>(rank)];
    if (place.color == color) members.emplace_back(place.key, rank);
  }
  std::ranges::sort(members);
  std::vector<int> ranks;
  ranks.reserve(members.size());
  for (const auto& [key, rank] : members) ranks.push_back(rank);
  return old.including(ranks);
}

MPI_Comm split_by(comm::Communicator& comm, std::span<const SplitPlace> places, int color) {
  const comm::ContextId id = agree(comm);
  if (color == MPI_UNDEFINED) {
    this_process().communicators().decline(id);
    return MPI_COMM_NULL;
  }
  if (!comm.inter()) return make_or_decline(comm, id, split_group(comm.group(), places, color));
  const auto& [remote, local_first] = *comm.bridge();
  const auto first_size = static_cast<std::size_t>(local_first ? comm.group().size() : remote.size());
  const auto first = places.first(first_size), second = places.subspan(first_size);
  return make_or_decline(comm, id, split_group(comm.group(), local_first ? first : second, color),
                         split_group(remote, local_first ? second : first, color), local_first);
}

MPI_Comm split(comm::Communicator& comm, SplitPlace mine) {
  return split_by(comm, gather_all(comm.team(), mine), mine.color);
}

}  // namespace bowline::api
