// SPDX-License-Identifier: BSD-3-Clause
// See placement_options.hpp. The grammar is OBJECT[:QUALIFIER[,QUALIFIER...]]..., regardless of case.
#include "launcher/command_line/placement_options.hpp"

#include <array>
#include <span>

#include "launcher/command_line/values.hpp"

namespace bowline::launcher {
namespace {

constexpr Word<Place> objects[] = {
    {"hwthread", Place::hwthread}, {"core", Place::core},        {"l1cache", Place::l1cache},
    {"l2cache", Place::l2cache},   {"l3cache", Place::l3cache},  {"l4cache", Place::l4cache},
    {"l5cache", Place::l5cache},   {"numa", Place::numa},        {"socket", Place::socket},
    {"package", Place::socket},    {"node", Place::node},        {"board", Place::node},
    {"machine", Place::node},      {"l1dcache", Place::l1cache}, {"l1icache", Place::l1cache},
    {"l1ucache", Place::l1cache},  {"l2dcache", Place::l2cache}, {"l2icache", Place::l2cache},
    {"l2ucache", Place::l2cache},  {"l3dcache", Place::l3cache}, {"l3icache", Place::l3cache},
    {"l3ucache", Place::l3cache},  {"l4dcache", Place::l4cache}, {"l4ucache", Place::l4cache},
    {"l5dcache", Place::l5cache},  {"l5ucache", Place::l5cache},
};

template <size_t N>
constexpr auto with_objects(const std::array<Word<Place>, N>& own) {
  std::array<Word<Place>, N + std::size(objects)> all{};
  for (size_t i = 0; i < N; ++i) all[i] = own[i];
  for (size_t i = 0; i < std::size(objects); ++i) all[N + i] = objects[i];
  return all;
}

constexpr auto bind_words = with_objects(std::array{Word<Place>{"none", Place::none}});
constexpr auto map_words = with_objects(std::array{Word<Place>{"slot", Place::slot}});
constexpr auto rank_words =
    with_objects(std::array{Word<Place>{"slot", Place::slot}, Word<Place>{"fill", Place::core},
                            Word<Place>{"span", Place::slot}, Word<Place>{"object", Place::slot}});

/// The effect of a qualifier that follows the object.
enum class Qualifier { always, units, cores, hwthreads, sharing, no_sharing, blocks, cpus, nothing };

constexpr Word<Qualifier> map_qualifiers[] = {
    {"pe", Qualifier::units},
    {"pe-list", Qualifier::cpus},
    {"span", Qualifier::blocks},
    {"oversubscribe", Qualifier::sharing},
    {"nooversubscribe", Qualifier::no_sharing},
    {"hwtcpus", Qualifier::hwthreads},
    {"corecpus", Qualifier::cores},
    {"inherit", Qualifier::always},
    {"noinherit", Qualifier::always},
    {"ordered", Qualifier::always},
    {"nolocal", Qualifier::nothing},
};

constexpr Word<Qualifier> bind_qualifiers[] = {
    {"overload-allowed", Qualifier::always}, {"if-supported", Qualifier::always},
    {"no-overload", Qualifier::no_sharing},  {"ordered", Qualifier::always},
    {"overload", Qualifier::always},         {"no-overload-allowed", Qualifier::no_sharing},
};

// Objects of Open MPI and MPICH that have no counterpart here, without a number that follows (gpu0).
constexpr std::string_view devices[] = {"pci", "gpu", "ib", "en", "eth", "hfi"};
constexpr std::string_view other_mappings[] = {"seq", "dist", "rankfile", "mindist", "lsf", "likwid", "colocate"};

template <size_t N>
bool is_one_of(const std::string_view (&words)[N], std::string_view text) {
  const std::string_view word = text.substr(0, text.find_last_not_of("0123456789") + 1);
  return std::ranges::find(words, word) != std::end(words);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

void apply_map_qualifier(const std::string& option, const std::string& text, Placement& placement,
                         std::vector<std::string>& warnings) {
  if (is_number(text)) {  // MPICH: the number of objects that count as one
    placement.map_count = to_number(option, text, "the number of objects", 1, Placement::most_each);
    return;
  }
  const size_t equals = text.find('=');
  const std::string value = equals == std::string::npos ? "" : text.substr(equals + 1);
  switch (to_choice<Qualifier>(option, text.substr(0, equals), map_qualifiers)) {
    case Qualifier::units:
      placement.units_per_rank = to_number(option + " PE", value, "the number behind PE=", 1, Placement::most_each);
      break;
    case Qualifier::cpus:
      placement.cpus = to_cpus(option + " PE-LIST", value, ',');
      break;
    case Qualifier::blocks:
      placement.blocks = true;
      break;
    case Qualifier::hwthreads:
      placement.hwthreads = true;
      break;
    case Qualifier::cores:
      placement.hwthreads = false;
      break;
    case Qualifier::sharing:
      placement.no_sharing = false;
      break;
    case Qualifier::no_sharing:
      placement.no_sharing = true;
      break;
    case Qualifier::nothing:
      warnings.push_back(fmt::format("{}: {} has no effect, because ranks run where mpiexec runs", option, text));
      break;
    case Qualifier::always:
      break;
  }
}

}  // namespace

std::string_view name_of(Place place) {
  switch (place) {
    case Place::automatic:
      return "automatic";
    case Place::none:
      return "none";
    case Place::list:
      return "list";
    case Place::slot:
      return "slot";
    default:
      return std::ranges::find(objects, place, &Word<Place>::value)->word;
  }
}

void parse_bind_to(const std::string& text, Placement& placement, std::vector<std::string>& warnings) {
  const std::vector<std::string> parts = split(lower_case(text), ':');
  const std::string& word = parts[0];
  placement.bind_count = 1;
  if (word == "user") {  // MPICH: CPUs of each rank
    placement.bind_to = Place::list;
    placement.bind_lists.clear();
    for (const std::string& rank : split(parts.size() > 1 ? parts[1] : "", ',')) {
      placement.bind_lists.push_back(to_cpus("--bind-to user", rank, '+'));
    }
    return;
  }
  if (word == "rr") {  // MPICH: hardware thread after hardware thread
    placement.bind_to = Place::hwthread;
    placement.hwthreads = true;
    return;
  }
  if (is_one_of(devices, word)) {
    warnings.push_back(
        fmt::format("--bind-to {}: ranks are not bound by devices; --bind-to numa or user:LIST takes its place", text));
    return;
  }
  if (word == "cpu-list") {  // Open MPI: binds each rank to all of --cpu-list, as --cpu-list does by itself
    placement.bind_to = parts.size() > 1 && parts[1] == "ordered" ? Place::core : Place::node;
  } else {
    placement.bind_to = word.empty() ? placement.bind_to : to_choice<Place>("--bind-to", word, bind_words);
  }
  for (size_t i = 1; i < parts.size(); ++i) {
    for (const std::string& qualifier : split(parts[i], ',')) {
      if (is_number(qualifier))
        placement.bind_count =
            to_number("--bind-to " + text + ":", qualifier, "the number of objects", 1, Placement::most_each);
      else if (to_choice<Qualifier>("--bind-to " + text + ":", qualifier, bind_qualifiers) == Qualifier::no_sharing)
        placement.no_sharing = true;
    }
  }
}

void parse_map_by(const std::string& text, Placement& placement, std::vector<std::string>& warnings) {
  std::vector<std::string> parts = split(lower_case(text), ':');
  size_t next = 1;
  const std::string word = parts[0];
  if (!word.empty()) placement.map_count = 1, placement.per_object = 0;
  if (word == "ppr") {
    if (parts.size() < 3) throw UsageError("--map-by {}: must be ppr:NUMBER:OBJECT, such as ppr:2:socket", text);
    placement.per_object =
        to_number("--map-by " + text, parts[1], "the number of ranks on each object", 1, Placement::most_each);
    placement.map_by = to_choice<Place>("--map-by ppr", parts[2], objects);
    next = 3;
  } else if (word.starts_with("pe-list=")) {
    placement.cpus = to_cpus("--map-by pe-list", word.substr(word.find('=') + 1), ',');
  } else if (is_one_of(other_mappings, word)) {
    warnings.push_back(
        fmt::format("--map-by {}: is not known here; --bind-to user:LIST says which CPUs each rank gets", text));
    return;
  } else if (!word.empty()) {
    placement.map_by = to_choice<Place>("--map-by", word, map_words);
  }
  for (; next < parts.size(); ++next) {
    const char separator = parts[next].starts_with("pe-list=") ? '\0' : ',';  // its value contains commas
    for (const std::string& qualifier : split(parts[next], separator)) {
      apply_map_qualifier("--map-by " + text + ":", qualifier, placement, warnings);
    }
  }
}

void parse_rank_by(const std::string& text, Placement& placement) {
  const std::vector<std::string> parts = split(text, ':');
  placement.rank_by = to_choice<Place>("--rank-by", parts[0], rank_words);
  if (parts.size() > 1) {  // Open MPI: socket:span and socket:fill
    constexpr Word<Place> orders[] = {{"span", Place::automatic}, {"fill", Place::core}};
    const Place order = to_choice<Place>("--rank-by " + text + ":", parts[1], orders);
    if (order == Place::core) placement.rank_by = Place::core;
  }
}

}  // namespace bowline::launcher
