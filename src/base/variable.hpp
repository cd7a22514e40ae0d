// SPDX-License-Identifier: BSD-3-Clause
// What the declarations of tunables, counters and events say for tools (MPI-5.0, chapter 15), besides name and help.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bowline {

/// What a variable is about. Its categories are those of MPI_T (MPI-5.0, section 15.3.9).
enum class Category : std::uint8_t {
  start,
  messages,
  collectives,
  one_sided,
  files,
  shared_memory,
  networks,
  waiting,
  losses,
  diagnosis,
};

struct CategoryText {
  std::string_view name;
  std::string_view help;
};

inline constexpr std::array<CategoryText, 10> category_texts = {{
    {"start", "start and end of a process, names, settings of all others"},
    {"messages", "point-to-point communication: matching, protocols, memory for messages"},
    {"collectives", "the choice of collective algorithms, and their shared memory"},
    {"one_sided", "windows"},
    {"files", "MPI-IO"},
    {"shared_memory", "the transport between processes of a node"},
    {"networks", "the transports between nodes: UCX, and RDMA adapters without it"},
    {"waiting", "how calls wait"},
    {"losses", "how processes notice that others are lost"},
    {"diagnosis", "what the library tells, and which mistakes of programs it looks for"},
}};

constexpr const CategoryText& text_of(Category category) noexcept {
  return category_texts[static_cast<std::size_t>(category)];
}

/// For whom a variable is.
enum class Audience : std::uint8_t { users, tuners, developers };

/// Whether ranks may have different values of a tunable.
enum class Agreement : std::uint8_t { not_needed, all_equal };

/// Until when a tunable may be changed.
enum class Change : std::uint8_t { before_init, any_time };

/// By default a tunable is for tuners, may differ between ranks, and may be changed before MPI starts only.
struct TunableTraits {
  constexpr TunableTraits(Category of) noexcept : category(of) {}

  constexpr TunableTraits for_users() const noexcept { return with(&TunableTraits::audience, Audience::users); }
  constexpr TunableTraits for_developers() const noexcept {
    return with(&TunableTraits::audience, Audience::developers);
  }
  constexpr TunableTraits equal_at_all() const noexcept {
    return with(&TunableTraits::agreement, Agreement::all_equal);
  }
  constexpr TunableTraits at_any_time() const noexcept { return with(&TunableTraits::change, Change::any_time); }

  Category category;
  Audience audience = Audience::tuners;
  Agreement agreement = Agreement::not_needed;
  Change change = Change::before_init;

 private:
  template <class Value>
  constexpr TunableTraits with(Value TunableTraits::*member, Value value) const noexcept {
    TunableTraits changed = *this;
    changed.*member = value;
    return changed;
  }
};

}  // namespace bowline
