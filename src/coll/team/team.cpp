// SPDX-License-Identifier: BSD-3-Clause
#include "coll/team/team.hpp"

#include <utility>

#include "base/tunable.hpp"
#include "coll/machine/machine.hpp"
#include "coll/team/division.hpp"

namespace bowline::coll {

Tunable<bool> check_collectives(TunableTraits(Category::collectives).for_users().equal_at_all(), "check_collectives",
                                false, false, true,
                                "whether the ranks of a communicator compare their collective calls before they carry "
                                "them out, so that different ones are an error and not a wait without end");

void DeletePart::operator()(Division* division) const noexcept {
  delete division;
}

void DeletePart::operator()(TeamSlots* slots) const noexcept {
  delete slots;
}

std::unique_ptr<Division, DeletePart> Team::divide_by(const Machine& known) {
  Hierarchy hierarchy(known, size, [this](int member) { return ranks.process(member); });
  std::unique_ptr<Division, DeletePart> made(new Division{std::move(hierarchy), nullptr});
  // Only if the node is the narrowest known unit: then all members on it take part in the first stage.
  if (made->hierarchy.level(0) != Level::node) return made;
  const Stage here = made->hierarchy.stage(0, rank, rank);
  if (here.members.count > 1 && here.members.count <= SlotMemory::max_members)
    made->node = std::make_unique<NodeMembers>(engine, context, ranks, here.members, here.rank);
  return made;
}

CallOrder& Team::order_of_nonblocking() noexcept {
  return checks_collectives() ? blocking : nonblocking;
}

Division* Team::divided(CallOrder& order) {
  const bool known = machine != nullptr && (&order != &blocking || !switches_unknown);
  if (order.division == nullptr && known) order.division = divide_by(*machine);
  return order.division.get();
}

const Hierarchy* Team::hierarchy(CallOrder& order) {
  const Division* const made = divided(order);
  return made == nullptr ? nullptr : &made->hierarchy;
}

/// With check_collectives, members whose calls may differ must not start with another operation, so they do not
/// exchange switches.
void Team::place_on(const Machine* whole) {
  machine = whole;
  switches_unknown = !one_node && machine != nullptr && machine->switches_here().has_value() && !checks_collectives();
  unprepared = switches_unknown || interrupted != nullptr;
}

void Team::learn(const Machine& all) {
  blocking.division = divide_by(all);
  blocking.choices = nullptr;  // the choices were made without the machine
  switches_unknown = false;
  unprepared = interrupted != nullptr;
}

}  // namespace bowline::coll
