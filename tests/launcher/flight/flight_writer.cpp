// SPDX-License-Identifier: BSD-3-Clause
// Writes recordings as ranks write them, from a description: flight_writer FOLDER < DESCRIPTION. The description is
// JSON: {"kinds": [...], "files": [{"rank", "ranks", "entries", "host", "process", "to_utc", "finalized", "written",
// "events": [[time, thread, kind, {field: number}]]}]}. What is missing has a default.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/events/flight_file.hpp"

namespace {

using Json = nlohmann::json;
using bowline::FlightEntry;
using bowline::FlightHeader;

struct Writer {
  Json kinds;
  std::string folder;

  std::uint32_t kind_number(const std::string& name) const {
    for (std::uint32_t number = 0; number < kinds.size(); ++number)
      if (kinds[number]["name"] == name) return number;
    return ~0U;
  }

  void fill(FlightEntry& entry, std::uint64_t number, const Json& event) const {
    entry.time = event[0];
    entry.thread = event[1];
    entry.kind = kind_number(event[2]);
    entry.record.fill(std::byte{0});
    if (entry.kind < kinds.size()) {
      for (const Json& field : kinds[entry.kind]["fields"]) {
        const Json value = event[3].value(field["name"].get<std::string>(), Json(0));
        std::byte* const at = entry.record.data() + field["offset"].get<std::size_t>();
        const auto wide = field["type"] == "uint64" ? value.get<std::uint64_t>() : 0;
        const auto narrow = field["type"] == "int32" ? value.get<std::int32_t>() : 0;
        if (field["type"] == "uint64")
          std::memcpy(at, &wide, sizeof wide);
        else
          std::memcpy(at, &narrow, sizeof narrow);
      }
    }
    entry.number.store(number + 1);
  }

  void write(const Json& file) const {
    const std::string names = kinds.dump();
    const std::uint32_t entries = file.value("entries", 1000U);
    const auto first = static_cast<std::uint32_t>((sizeof(FlightHeader) + names.size() + 63) / 64 * 64);
    std::vector<std::uint64_t> words((first + entries * sizeof(FlightEntry)) / sizeof(std::uint64_t) + 1);
    auto* const bytes = reinterpret_cast<std::byte*>(words.data());
    auto* const header = new (bytes) FlightHeader{};
    header->magic = FlightHeader::right_magic;
    header->version = FlightHeader::right_version;
    header->entry_bytes = sizeof(FlightEntry);
    header->entries = entries;
    header->first_entry = first;
    header->kinds_bytes = static_cast<std::uint32_t>(names.size());
    header->rank = file["rank"];
    header->ranks = file["ranks"];
    header->process = file.value("process", 1U);
    header->to_utc = file.value("to_utc", std::int64_t{0});
    header->finalized.store(file.value("finalized", std::int64_t{0}));
    const std::string host = file.value("host", std::string("n0"));
    std::copy_n(host.data(), std::min(host.size(), header->host.size() - 1), header->host.data());
    std::memcpy(bytes + sizeof(FlightHeader), names.data(), names.size());
    std::uint64_t number = 0;
    for (const Json& event : file["events"]) {
      auto* const entry = new (bytes + first + number % entries * sizeof(FlightEntry)) FlightEntry{};
      fill(*entry, number++, event);
    }
    header->written.store(file.value("written", number));
    const std::string path = folder + "/rank-" + std::to_string(file["rank"].get<int>()) + ".flight";
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes),
               static_cast<std::streamsize>(first + entries * sizeof(FlightEntry)));
  }
};

}  // namespace

int main(int, char** argv) {
  const Json description = Json::parse(std::cin);
  const Writer writer{.kinds = description["kinds"], .folder = argv[1]};
  for (const Json& file : description["files"]) writer.write(file);
  return 0;
}
