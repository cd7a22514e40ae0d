// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 7.4.2 and 9.1.2: communicators of the processes that share hardware.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "api/communicators/making.hpp"
#include "api/entry/this_process.hpp"
#include "api/environment/info_handles.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "runtime/hardware.hpp"

namespace bowline::api {

using runtime::Hardware;
namespace {

constexpr const char* type_key = "mpi_hw_resource_type";
constexpr const char* pset_key = "mpi_pset_name";
constexpr int nowhere = -1;

/// What each process contributes: the hardware on which it runs at each level, as far as this call needs it, and its
/// key.
struct Member {
  std::array<int, Hardware::kinds> at;
  int key;
  int level;  ///< the level by which the process wants to split; nowhere: it wants no communicator
};

/// Whether two processes share the hardware of a level. Hardware is numbered within a node.
bool together(const Member& a, const Member& b, std::size_t level) {
  return a.at[0] == b.at[0] && a.at[level] == b.at[level] && a.at[level] != nowhere;
}

/// The widest level at which not all members that want a communicator are together; none if there is no such level.
std::optional<std::size_t> first_parting(const std::vector<Member>& all) {
  const auto first = std::ranges::find_if(all, [](const Member& each) { return each.level != nowhere; });
  for (std::size_t level = 0; level < Hardware::kinds; ++level) {
    const bool shared = std::all_of(
        first, all.end(), [&](const Member& each) { return each.level == nowhere || together(*first, each, level); });
    if (!shared) return level;
  }
  return {};
}

int level_of(std::string_view name) {
  const auto found = std::ranges::find(Hardware::names, name);
  return found == Hardware::names.end() ? nowhere : static_cast<int>(found - Hardware::names.begin());
}

/// The level that the hints ask for; nowhere if they ask for no level that exists here.
int guided_level(const Info& hints) {
  const std::string* const type = hints.find(type_key);
  return type == nullptr ? nowhere : level_of(*type);
}

/// On an intercommunicator the processes of both groups that share hardware get an intercommunicator.
MPI_Comm split_at(comm::Communicator& comm, const std::vector<Member>& all, std::optional<std::size_t> level) {
  const Member& mine = all[static_cast<std::size_t>(comm.team().rank)];
  const bool declines = !level || mine.level == nowhere || mine.at[*level] == nowhere;
  std::vector<SplitPlace> places;
  places.reserve(all.size());
  for (const Member& each : all) {
    places.push_back({!declines && each.level != nowhere && together(mine, each, *level) ? 1 : 0, each.key});
  }
  return split_by(comm, places, declines ? MPI_UNDEFINED : 1);
}

/// Splits by a process set: its members in the communicator get a communicator. With mpi://SELF each is alone.
MPI_Comm split_by_set(comm::Communicator& comm, std::string_view set, int key) {
  const bool alone = set == "mpi://SELF";
  return split(comm, {alone ? comm.team().rank : set == "mpi://WORLD" ? 0 : MPI_UNDEFINED, key});
}

}  // namespace

void comm_split_type(comm::Communicator& comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
  const auto hints = hints_of(info);
  *newcomm = MPI_COMM_NULL;
  if (split_type == MPI_COMM_TYPE_RESOURCE_GUIDED && hints->find(type_key) == nullptr) {
    if (const std::string* const set = hints->find(pset_key)) {
      *newcomm = split_by_set(comm, *set, key);
      return;
    }
  }
  Member mine{.at = {this_process().first_rank_here()}, .key = key, .level = 0};
  switch (split_type) {
    case MPI_COMM_TYPE_SHARED:
      break;
    case MPI_COMM_TYPE_HW_UNGUIDED:
      mine.at = Hardware::read().mine;
      break;
    case MPI_COMM_TYPE_HW_GUIDED:
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
      mine.at = Hardware::read().mine;
      mine.level = guided_level(*hints);
      break;
    case MPI_UNDEFINED:
      mine.level = nowhere;
      break;
    default:
      throw Error(ErrorClass::arg, fmt::format("split_type is {}, but it must be one of MPI_COMM_TYPE_SHARED, "
                                               "MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_HW_UNGUIDED, "
                                               "MPI_COMM_TYPE_RESOURCE_GUIDED and MPI_UNDEFINED",
                                               split_type));
  }
  const std::vector<Member> all = gather_all(comm.team(), mine);
  if (split_type == MPI_COMM_TYPE_HW_UNGUIDED) {
    const auto level = first_parting(all);
    *newcomm = split_at(comm, all, level);
    if (*newcomm != MPI_COMM_NULL && info != MPI_INFO_NULL) info_set(info, type_key, Hardware::names[*level].data());
    return;
  }
  *newcomm =
      split_at(comm, all, mine.level == nowhere ? std::nullopt : std::optional(static_cast<std::size_t>(mine.level)));
}

void get_hw_resource_info(MPI_Info* hw_info) {
  const Hardware hardware = Hardware::read();
  Info info;
  for (std::size_t level = 0; level < Hardware::kinds; ++level) {
    info.set(Hardware::names[level], hardware.mine[level] == nowhere ? "false" : "true");
  }
  *hw_info = info_handle(std::move(info));
}

}  // namespace bowline::api
