// SPDX-License-Identifier: BSD-3-Clause
// What events a recording has, and their numbers.
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "launcher/flight/flight_record.hpp"
#include "launcher/report/json_fields.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

using Json = nlohmann::json;

std::string text_in(const Json& object, const char* key) {
  return without_controls(object.at(key).get<std::string>());
}

FlightField field_in(const Json& object, const std::string& file) {
  FlightField field{.name = text_in(object, "name"), .is_long = text_in(object, "type") == "uint64"};
  if (!field.is_long && text_in(object, "type") != "int32")
    throw UsageError("{} is no recording of this kind: the type of \"{}\" must be int32 or uint64", file, field.name);
  field.offset = object.at("offset").get<std::size_t>();
  const std::size_t bytes = field.is_long ? sizeof(std::uint64_t) : sizeof(std::int32_t);
  if (field.offset > EventKind::longest_record - bytes)
    throw UsageError("{} is no recording of this kind: \"{}\" lies outside of the record", file, field.name);
  if (const auto words = object.find("words"); words != object.end()) {
    for (const Json& word : *words) field.words.push_back(without_controls(word.get<std::string>()));
  }
  return field;
}

}  // namespace

FlightKinds parse_flight_kinds(std::string_view text, const std::string& file) {
  try {
    FlightKinds kinds;
    const Json document = Json::parse(text);
    for (const Json& each : document) {
      FlightKind& kind = kinds.emplace_back(FlightKind{.name = text_in(each, "name")});
      for (const Json& field : each.at("fields")) kind.fields.push_back(field_in(field, file));
    }
    return kinds;
  } catch (const Json::exception&) {
    throw UsageError("{} is no recording of this kind: its list of events cannot be read", file);
  }
}

std::optional<std::int64_t> FlightEvent::number(std::string_view field) const {
  for (const FlightField& each : kind->fields) {
    if (each.name != field) continue;
    if (!each.is_long) {
      std::int32_t value = 0;
      std::memcpy(&value, record.data() + each.offset, sizeof value);
      return value;
    }
    std::uint64_t value = 0;
    std::memcpy(&value, record.data() + each.offset, sizeof value);
    constexpr std::int64_t last = std::numeric_limits<std::int64_t>::max();
    return std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value) : last;
  }
  return {};
}

std::string FlightEvent::text(std::string_view field) const {
  for (const FlightField& each : kind->fields)
    if (each.name == field) return text(each);
  return {};
}

std::string FlightEvent::text(const FlightField& field) const {
  if (field.is_long) {
    std::uint64_t value = 0;
    std::memcpy(&value, record.data() + field.offset, sizeof value);
    return value < field.words.size() ? field.words[value] : std::to_string(value);
  }
  std::int32_t value = 0;
  std::memcpy(&value, record.data() + field.offset, sizeof value);
  return std::cmp_less(value, field.words.size()) && value >= 0 ? field.words[static_cast<std::size_t>(value)]
                                                                : std::to_string(value);
}

}  // namespace bowline::launcher
