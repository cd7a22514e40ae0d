// SPDX-License-Identifier: BSD-3-Clause
#include "proto/in_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/process_id.hpp"
#include "proto/liveness/process_directory.hpp"

namespace bowline::proto {
namespace {

constexpr std::size_t most_named = 4;  // of the ranks for which a collective operation waits

std::string communicator(const Engine& lane, std::uint32_t context) {
  return lane.liveness().directory() == nullptr ? "a communicator" : lane.liveness().directory()->communicator(context);
}

/// `rank`: in the communicator; `world`: the same process by its index, which is its rank in MPI_COMM_WORLD if it
/// belongs to this job. Negative: not known.
std::string rank_in_words(int rank, int world) {
  if (world >= 0 && is_of_other_job(world)) {
    const std::string name = process_name(world);
    return rank < 0 ? name.substr(name.find(' ') + 1) : fmt::format("{} ({})", rank, name);
  }
  if (rank < 0) return fmt::format("{} of MPI_COMM_WORLD", world);
  return world < 0 || world == rank ? fmt::format("{}", rank) : fmt::format("{} ({} of MPI_COMM_WORLD)", rank, world);
}

std::string source_in_words(const Engine& lane, std::uint32_t context, int source) {
  if (source == any_source) return "any rank";
  const int world = lane.liveness().directory() == nullptr ? -1 : lane.liveness().directory()->process(context, source);
  return "rank " + rank_in_words(source, world);
}

/// A process by its world rank.
std::string process_in_words(const Engine& lane, std::uint32_t context, int world) {
  return rank_in_words(
      lane.liveness().directory() == nullptr ? -1 : lane.liveness().directory()->source(context, world), world);
}

}  // namespace

std::string match_in_words(Engine& lane, const Match& match) {
  return fmt::format("on {} from {}, {}", communicator(lane, match.context),
                     source_in_words(lane, match.context, match.source),
                     match.tag == any_tag ? "any tag" : fmt::format("tag {}", match.tag));
}

std::string send_in_words(Engine& lane, transport::Header header, int to) {
  return fmt::format("on {} to rank {}, tag {}", communicator(lane, header.context),
                     process_in_words(lane, header.context, to), header.tag);
}

std::string request_in_words(Engine& lane, const Request& request) {
  switch (request.role) {
    case Request::Role::send: {
      const auto& send = static_cast<const SendRequest&>(request);
      return "a send " + send_in_words(lane, send.header, send.peer.rank);
    }
    case Request::Role::receive: {
      const auto& receive = static_cast<const ReceiveRequest&>(request);
      return "a receive " + match_in_words(lane, {receive.context, receive.source, receive.tag});
    }
    case Request::Role::special:
      break;
  }
  return static_cast<const SpecialRequest&>(request).in_words(lane);
}

std::vector<int> awaited_in(Engine& lane, std::uint32_t context, std::int32_t tag) {
  std::vector<int> ranks;
  lane.requests().for_each_receive([&](const ReceiveRequest& receive) {
    if (receive.context != context || receive.tag != tag || lane.liveness().directory() == nullptr) return;
    if (const int rank = lane.liveness().directory()->process(context, receive.source); rank >= 0)
      ranks.push_back(rank);
  });
  lane.requests().for_each_send([&](const SendRequest& send) {
    if (send.header.context == context && send.header.tag == tag) ranks.push_back(send.peer.rank);
  });
  return ranks;
}

std::string collective_in_words(Engine& lane, std::uint32_t context, std::int32_t number, std::vector<int> awaited) {
  std::ranges::sort(awaited);
  awaited.erase(std::unique(awaited.begin(), awaited.end()), awaited.end());
  std::string ranks;
  for (std::size_t i = 0; i < std::min(awaited.size(), most_named); ++i) {
    const char* const before = i == 0 ? "" : i + 1 == awaited.size() ? " and " : ", ";
    ranks += before + process_in_words(lane, context, awaited[i]);
  }
  if (awaited.size() > most_named) ranks += fmt::format(" and {} others", awaited.size() - most_named);
  return fmt::format("on {}, operation {}{}{}", communicator(lane, context), number,
                     awaited.empty()       ? ""
                     : awaited.size() == 1 ? ", awaiting rank "
                                           : ", awaiting ranks ",
                     ranks);
}

}  // namespace bowline::proto
