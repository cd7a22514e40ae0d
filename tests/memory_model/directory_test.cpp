// SPDX-License-Identifier: BSD-3-Clause
// shm/directory: an address is found whole, whoever has entered it.
#include "shm/directory.hpp"

#include "explore.hpp"

namespace bowline::shm {
namespace {

/// Two processes enter the same addresses; a third one finds them, or not yet.
struct Entered : model::Suite<Entered, 3> {
  static constexpr std::size_t ranks = 2;

  Inbox inbox{ranks, 1};
  std::optional<Directory> own{std::in_place, inbox, ranks};
  transport::Address address = inbox.address();

  void run(unsigned index) { index == 2 ? find() : enter(index == 0); }

  void enter(bool upwards) {
    std::optional<Directory> directory = Directory::open(address, ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) directory->enter(upwards ? rank : ranks - 1 - rank, address);
    for (std::size_t rank = 0; rank < ranks; ++rank) check(*directory, rank);
  }
  void find() {
    for (std::size_t rank = 0; rank < ranks; ++rank) check(*own, rank);
  }
  void check(const Directory& directory, std::size_t rank) {
    const std::optional<transport::Address> found = directory.find(rank);
    RL_ASSERT(!found.has_value() || *found == address);
  }
};

TEST(Directory, GivesWholeAddresses) {
  model::explore<Entered>(10'000);
}

}  // namespace
}  // namespace bowline::shm
