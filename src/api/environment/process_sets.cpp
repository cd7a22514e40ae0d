// SPDX-License-Identifier: BSD-3-Clause
#include "api/environment/process_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

#include "api/entry/communicator_handles.hpp"
#include "api/entry/this_process.hpp"
#include "api/processes/parent.hpp"
#include "base/error.hpp"

namespace bowline::api {
namespace {

constexpr const char* world_set = "mpi://WORLD";
constexpr const char* self_set = "mpi://SELF";
constexpr const char* parent_set = "mpi://PARENT";

bool is_set(const std::string& name, std::string_view known) {
  return std::ranges::equal(
      name, known, {}, [](unsigned char c) { return std::tolower(c); },
      [](unsigned char c) { return std::tolower(c); });
}

}  // namespace

std::vector<std::string> process_sets() {
  std::vector<std::string> names = {world_set, self_set};
  if (find_comm(parent_handle()) != nullptr) names.emplace_back(parent_set);
  std::ranges::copy(this_process().wireup().process_sets(), std::back_inserter(names));
  return names;
}

comm::Group members_of_set(const std::string& name) {
  const int size = this_process().job_size();
  if (is_set(name, world_set)) return comm::Group::sequence(0, 1, size);
  if (is_set(name, self_set)) return this_process().self().group();
  const comm::Communicator* const parent = find_comm(parent_handle());
  if (parent != nullptr && is_set(name, parent_set)) return parent->bridge()->remote;
  const std::vector<int> ranks = this_process().wireup().members(name);
  if (ranks.empty()) {
    throw Error(ErrorClass::arg, fmt::format("pset_name is \"{}\", which is no process set: MPI_Session_get_nth_pset "
                                             "lists them",
                                             name));
  }
  return comm::Group::of(ranks);
}

}  // namespace bowline::api
