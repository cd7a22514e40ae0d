// SPDX-License-Identifier: BSD-3-Clause
#include "api/checking/window_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/checking/own_stores.hpp"
#include "api/checking/parcels.hpp"
#include "api/checking/places.hpp"
#include "coll/calls/collectives.hpp"
#include "rma/window.hpp"

namespace bowline::api::checking {
namespace {

constexpr std::size_t most_conflicts_told = 10;

/// What a member lets another one know first.
struct Notice {
  std::uint64_t parcel_bytes = 0;
  std::uint32_t writes = 0;
  std::uint32_t is_complete = 1;
};

/// What has arrived about this process's memory.
struct Arrived {
  std::vector<WindowAccess> accesses;
  bool is_complete = true;
};

Arrived exchange_accesses(const WindowRecord& record) {
  const rma::Window& window = record.window();
  coll::Team& team = window.communicator().team();
  const auto members = static_cast<std::size_t>(window.size());
  std::vector<Notice> mine(members);
  Parcels parcels(members);
  for (const auto& [target, list] : record.all()) {
    const auto index = static_cast<std::size_t>(target);
    mine[index] = {list.accesses.size() * sizeof(WindowAccess), list.writes ? 1U : 0U, list.is_complete ? 1U : 0U};
  }
  const std::vector<Notice> theirs = exchange_each(team, mine);
  // A process whose memory others have written to may have learnt from it, by loads that nobody sees.
  bool written = false;
  Arrived arrived;
  std::vector<std::uint64_t> lengths;
  for (std::size_t origin = 0; origin < members; ++origin) {
    written = written || (theirs[origin].writes != 0 && static_cast<int>(origin) != window.rank());
    arrived.is_complete = arrived.is_complete && theirs[origin].is_complete != 0;
    lengths.push_back(theirs[origin].parcel_bytes);
  }
  for (const auto& [target, list] : record.all()) {
    std::vector<WindowAccess> accesses = list.accesses;
    for (WindowAccess& access : accesses) {
      if (written && access.epoch == WindowAccess::Epoch::lock) access.informed = access.informed_since_barrier = true;
    }
    parcels[static_cast<std::size_t>(target)] = packed(accesses);
  }
  const Parcels lists = exchange_parcels(team, parcels, lengths);
  for (std::size_t origin = 0; origin < members; ++origin) {
    for (WindowAccess& access : unpacked<WindowAccess>(lists[origin])) {
      access.origin = static_cast<std::int32_t>(origin);
      arrived.accesses.push_back(access);
    }
  }
  return arrived;
}

bool any_member(rma::Window& window, bool mine) {
  std::vector<std::uint8_t> all(static_cast<std::size_t>(window.size()));
  all[static_cast<std::size_t>(window.rank())] = mine ? 1 : 0;
  coll::allgather(window.communicator().team(), std::as_writable_bytes(std::span(all)));
  return std::ranges::any_of(all, [](std::uint8_t each) { return each != 0; });
}

/// Asks the origins for the words of their calls.
class CallsInWords {
 public:
  explicit CallsInWords(rma::Window& window) : window_(window), wanted_(static_cast<std::size_t>(window.size())) {}
  void want(const WindowAccess& access) { wanted_[index(access)].push_back(access.call); }
  /// All members call it.
  void ask(const WindowRecord& record) {
    Parcels questions;
    questions.reserve(wanted_.size());
    for (const auto& calls : wanted_) questions.push_back(packed(calls));
    Parcels answers;
    for (const Parcel& question : exchange_parcels(window_.communicator().team(), questions))
      answers.push_back(answer(record, question));
    answers_ = exchange_parcels(window_.communicator().team(), answers);
    next_.resize(answers_.size());
  }
  /// In the order of want().
  std::string next(const WindowAccess& access) {
    const Parcel& answer = answers_[index(access)];
    std::size_t& at = next_[index(access)];
    std::string words;
    for (; at < answer.size() && answer[at] != std::byte{0}; ++at) words += static_cast<char>(answer[at]);
    ++at;
    return fmt::format("{} on rank {}", words, window_.communicator().process(access.origin));
  }

 private:
  static std::size_t index(const WindowAccess& access) noexcept { return static_cast<std::size_t>(access.origin); }
  static Parcel answer(const WindowRecord& record, const Parcel& question) {
    std::vector<MpiCall> calls;
    for (const std::uint32_t number : unpacked<std::uint32_t>(question))
      calls.push_back(number < record.calls() ? record.call(number) : MpiCall());
    Parcel words;
    for (const std::string& each : checking::in_words(calls)) {
      for (const char letter : each) words.push_back(static_cast<std::byte>(letter));
      words.push_back(std::byte{0});
    }
    return words;
  }

  rma::Window& window_;
  std::vector<std::vector<std::uint32_t>> wanted_;
  Parcels answers_;
  std::vector<std::size_t> next_;
};

}  // namespace

std::vector<std::int64_t> exchange_units(rma::Window& window) {
  std::vector<std::int64_t> units(static_cast<std::size_t>(window.size()));
  units[static_cast<std::size_t>(window.rank())] = window.displacement_unit();
  coll::allgather(window.communicator().team(), std::as_writable_bytes(std::span(units)));
  return units;
}

void await_members(rma::Window& window) {
  coll::Arguments nothing;
  coll::run(window.communicator().team(), coll::Operation::barrier, nothing, coll::CallForm::internal);
}

std::vector<std::string> compare_accesses(WindowRecord& record, const WindowRecord::Knowledge& now,
                                          std::span<const std::byte> memory) {
  rma::Window& window = record.window();
  const Arrived arrived = exchange_accesses(record);
  const std::vector<AccessPair> pairs =
      find_concurrent_conflicts(arrived.accesses, record.exposures(), most_conflicts_told, record.told());
  std::vector<OwnStore> stores;
  if (!memory.empty() && arrived.is_complete) {
    const bool written = std::ranges::any_of(arrived.accesses, [&](const WindowAccess& access) {
      return access.writes() && access.origin != window.rank();
    });
    stores = find_own_stores(record.memory_at_begin(), memory, arrived.accesses,
                             {.rank = window.rank(),
                              .informed = record.informed(now) || written,
                              .locked_exclusively = record.locked_own(true),
                              .locked_shared = record.locked_own(false)},
                             record.told());
    stores.resize(std::min(stores.size(), most_conflicts_told));
  }
  if (!any_member(window, !pairs.empty() || !stores.empty())) return {};
  CallsInWords words(window);
  for (const AccessPair& pair : pairs) words.want(pair.first), words.want(pair.second);
  for (const OwnStore& store : stores) words.want(store.access);
  words.ask(record);
  std::vector<std::string> sentences;
  for (const AccessPair& pair : pairs) {
    const std::string first = words.next(pair.first), second = words.next(pair.second);
    sentences.push_back(
        fmt::format("{} and {} access the same {} of this rank's memory in {}, and nothing says which "
                    "comes first",
                    first, second, in_bytes(pair.first.common_bytes(pair.second)), window.in_words()));
  }
  for (const OwnStore& store : stores) {
    sentences.push_back(
        fmt::format("this rank stores to {} of its memory in {} that {} {}, and nothing says which comes first",
                    in_bytes(store.bytes), window.in_words(), words.next(store.access),
                    store.access.writes() ? "writes to" : "reads"));
  }
  return sentences;
}

}  // namespace bowline::api::checking
