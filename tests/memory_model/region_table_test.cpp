// SPDX-License-Identifier: BSD-3-Clause
// rma/region_table, rma/kept_description: a reader sees a whole state of the table, and a whole description.
#include "rma/region_table.hpp"

#include "explore.hpp"
#include "rma/kept_description.hpp"

namespace bowline::rma {
namespace {

/// One region is there always, others come and go. Each is a hundred times as long as its address says.
struct Shown : model::Suite<Shown, 2> {
  RegionTable::Shown memory;
  RegionTable table{&memory};

  Shown() { table.show({{5, 500}}); }
  void run(unsigned index) { index == 0 ? attach() : find(); }

  void attach() {
    table.show({{2, 200}, {5, 500}});
    table.show({{1, 100}, {3, 300}, {5, 500}});
    table.show({{5, 500}});
  }
  void find() {
    for (int i = 0; i < 3; ++i) {
      const auto torn = [](std::uint64_t address, std::uint64_t size) { return size != 100 * address; };
      RL_ASSERT(table.find_if(torn) == RegionTable::Found::no);
      const auto constant = [](std::uint64_t address, std::uint64_t) { return address == 5; };
      RL_ASSERT(table.find_if(constant) == RegionTable::Found::yes);
    }
  }
};

TEST(RegionTable, ShowsWholeStates) {
  model::explore<Shown>(20'000);
}

/// Two processes keep a description of a member, each its own; a third one looks.
struct Kept : model::Suite<Kept, 3> {
  KeptDescription place{};

  void run(unsigned index) {
    if (index < 2) return keep(index + 1);
    Description facts;
    KeptDescription::Key key;
    while (true) {
      const std::optional<std::size_t> bytes = place.find(facts, key);
      if (bytes.has_value()) {
        RL_ASSERT(*bytes == facts.size && key[0] == std::byte(facts.size) && facts.address == 10 * facts.size);
        return;
      }
      cpu_relax();
    }
  }
  void keep(std::uint64_t number) {
    KeptDescription::Key key;
    key.fill(std::byte(number));
    place.keep({.size = number, .unit = 1, .address = 10 * number}, std::span(key).first(number));
  }
};

TEST(KeptDescription, IsWhole) {
  model::explore<Kept>(5'000);
}

}  // namespace
}  // namespace bowline::rma
