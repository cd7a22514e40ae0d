// SPDX-License-Identifier: BSD-3-Clause
// Parameters as JSON: an object of numbers, with one object of costs for each level.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "simulator/cluster.hpp"

namespace bowline::sim {
namespace {

using Json = nlohmann::ordered_json;

/// Calls `field(name, reference)` for everything that has a name.
template <class Field>
void each_cost(Costs& costs, Field field) {
  field("latency", costs.latency);
  field("send", costs.send);
  field("receive", costs.receive);
  field("gap", costs.gap);
  field("byte", costs.byte);
  field("copy_in", costs.copy_in);
  field("copy_out", costs.copy_out);
  field("eager", costs.eager);
}

template <class Field>
void each_number(Parameters& parameters, Field field) {
  field("combine", parameters.combine);
  field("copy", parameters.copy);
  field("call", parameters.call);
  field("piece", parameters.piece);
  field("change", parameters.change);
  field("ring", parameters.ring);
  field("cores_per_node", parameters.cores_per_node);
  field("sockets_per_node", parameters.sockets_per_node);
  field("caches_per_socket", parameters.caches_per_socket);
  field("nodes_per_switch", parameters.nodes_per_switch);
  field("switches_per_group", parameters.switches_per_group);
  field("uplinks_per_switch", parameters.uplinks_per_switch);
  field("uplinks_per_group", parameters.uplinks_per_group);
}

constexpr std::array<std::pair<std::string_view, Switches>, 2> topologies = {
    {{"fat_tree", Switches::fat_tree}, {"dragonfly", Switches::dragonfly}}};

/// Reads one object; what is in it and nobody asks for is a mistake.
class Reader {
 public:
  Reader(const std::string& file, std::string where, const Json& object)
      : file_(file), where_(std::move(where)), object_(object) {
    if (!object.is_object()) {
      const std::string name = where_.empty() ? "the whole" : "'" + where_.substr(0, where_.size() - 1) + "'";
      throw Error(ErrorClass::arg, fmt::format("machine description {}: {} is not an object with names and numbers; "
                                               "--print-machine shows one",
                                               file, name));
    }
  }

  template <class Number>
  void operator()(const char* name, Number& number) {
    known_.push_back(name);
    const auto found = object_.find(name);
    if (found == object_.end()) return;
    // Counts of hardware are divided by; only the number of cores may be left open.
    const double least = std::is_same_v<Number, int> && std::string_view(name) != "cores_per_node" ? 1 : 0;
    constexpr double most = 1e9;
    const bool whole = std::is_integral_v<Number>;
    const double value = found->is_number() ? found->template get<double>() : -1;
    if (value < least || value > most || (whole && value != std::floor(value))) {
      fail(name, fmt::format("a {}number from {} to {:.0f}", whole ? "whole " : "", least, most));
    }
    number = static_cast<Number>(value);
  }
  const Json* object(const char* name) {
    known_.push_back(name);
    const auto found = object_.find(name);
    return found == object_.end() ? nullptr : &*found;
  }
  void finish() const {
    for (const auto& [name, value] : object_.items()) {
      if (std::ranges::find(known_, name) == known_.end())
        fail(name, fmt::format("one of {}", fmt::join(known_, ", ")));
    }
  }
  [[noreturn]] void fail(const std::string& name, const std::string& allowed) const {
    throw Error(ErrorClass::arg, fmt::format("machine description {}: '{}{}' is not {}", file_, where_, name, allowed));
  }

 private:
  const std::string& file_;
  std::string where_;
  const Json& object_;
  std::vector<std::string> known_;
};

}  // namespace

Parameters read_parameters(const std::string& file) {
  std::ifstream stream(file);
  if (!stream || std::filesystem::is_directory(file)) {
    throw Error(ErrorClass::arg, fmt::format("machine description {}: the file cannot be opened for reading", file));
  }
  const Json root = Json::parse(stream, nullptr, false);
  if (root.is_discarded()) {
    throw Error(ErrorClass::arg,
                fmt::format("machine description {}: this is not JSON; --print-machine shows one", file));
  }
  Parameters parameters = default_parameters();
  Reader reader(file, "", root);
  each_number(parameters, [&](const char* name, auto& number) { reader(name, number); });
  if (const Json* const name = reader.object("switches")) {
    const auto found = std::ranges::find(topologies, *name, [](const auto& entry) { return Json(entry.first); });
    if (found == topologies.end()) reader.fail("switches", "fat_tree or dragonfly");
    parameters.switches = found->second;
  }
  for (int number = 0; number < coll::levels; ++number) {
    const std::string level(coll::name_of(static_cast<Level>(number)));
    if (const Json* const object = reader.object(level.c_str())) {
      Reader costs(file, level + ".", *object);
      each_cost(parameters.levels[static_cast<std::size_t>(number)],
                [&](const char* name, auto& cost) { costs(name, cost); });
      costs.finish();
    }
  }
  reader.finish();
  return parameters;
}

std::string to_json(const Parameters& parameters) {
  Parameters values = parameters;
  Json root;
  for (int number = 0; number < coll::levels; ++number) {
    Json& object = root[std::string(coll::name_of(static_cast<Level>(number)))];
    each_cost(values.levels[static_cast<std::size_t>(number)],
              [&](const char* name, auto& cost) { object[name] = cost; });
  }
  each_number(values, [&](const char* name, auto& number) { root[name] = number; });
  root["switches"] =
      std::ranges::find(topologies, values.switches, [](const auto& entry) { return entry.second; })->first;
  return root.dump(2);
}

}  // namespace bowline::sim
