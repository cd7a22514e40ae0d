// SPDX-License-Identifier: BSD-3-Clause
// Messages between two layouts with the same signature. Every rank sends to the next one; a rank alone to itself.
#include <numeric>

#include "types/checks.hpp"

namespace types {

namespace {

constexpr std::byte untouched{0xee};
constexpr std::int64_t most_entries = 1024;  // of a struct that is made from a signature
constexpr int tag = 17;

// An array of elements, or one element of a type made for a single message.
struct Side {
  const TypeMap& map;
  MPI_Datatype type;
  std::int64_t count;
};

// Sends what `from` describes to the next rank, which receives it as `to` describes; compares all bytes there. Returns
// the status of the receive.
MPI_Status transfer(const Side& from, const Side& to, Random& random, const char* what) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  Memory source = random_memory(from.map, from.count, random);
  Memory target = memory_for(to.map, to.count, untouched), expected = target;
  unpack(to.map, pack(from.map, from.count, source), expected);
  MPI_Request requests[2];
  MPI_Status statuses[2];
  const int last = (rank + ranks - 1) % ranks, next = (rank + 1) % ranks;
  call(MPI_Irecv(target.base(), static_cast<int>(to.count), to.type, last, tag, MPI_COMM_WORLD, &requests[0]),
       "MPI_Irecv");
  call(MPI_Isend(source.base(), static_cast<int>(from.count), from.type, next, tag, MPI_COMM_WORLD, &requests[1]),
       "MPI_Isend");
  call(MPI_Waitall(2, requests, statuses), "MPI_Waitall");
  expect_equal(target.bytes, expected.bytes, what);
  return statuses[0];
}

void expect_status(MPI_Status& status, const Side& to, std::int64_t entries, const Scope& scope) {
  const auto per_element = static_cast<std::int64_t>(to.map.entries.size());
  std::int64_t whole = 0;
  if (per_element > 0) whole = entries % per_element == 0 ? entries / per_element : MPI_UNDEFINED;
  int count = -1, elements = -1;
  call(MPI_Get_count(&status, to.type, &count), "MPI_Get_count");
  expect_equal(count, static_cast<int>(whole), "MPI_Get_count of what was received");
  if (!scope.elements) return;
  call(MPI_Get_elements(&status, to.type, &elements), "MPI_Get_elements");
  expect_equal(elements, static_cast<int>(entries), "MPI_Get_elements of what was received");
}

void both_ways(const Subject& subject, const Sample& other, std::int64_t count) {
  const char* what = "a message between two trees";
  const Datatype made = Datatype(other.tree).commit();
  check_bounds({other.tree, other.map, made.get(), count, false, subject.random, subject.scope});
  const Side mine{subject.map, subject.type, subject.count}, theirs{other.map, made.get(), count};
  if (!overlaps(other.map, count)) {
    MPI_Status status = transfer(mine, theirs, subject.random, what);
    expect_status(status, theirs, subject.count * subject.entries(), subject.scope);
  }
  if (subject.receivable) {
    MPI_Status status = transfer(theirs, mine, subject.random, what);
    expect_status(status, mine, subject.count * subject.entries(), subject.scope);
  }
}

void try_both_ways(const Subject& subject, const Sample& other, std::int64_t count) {
  try {
    both_ways(subject, other, count);
  } catch (const Failure& failure) {
    throw Failure{failure.text + "\n  " + std::to_string(subject.count) + " elements and " + std::to_string(count) +
                  " of\n" + text(other.tree, 4)};
  }
}

// The one predefined type that all leaves are, or the number of those that there are.
std::size_t common_leaf(const Tree& tree) {
  if (tree.combiner == Combiner::named) return tree.name;
  std::size_t common = all_named().size();
  for (const Tree& child : tree.children) {
    const std::size_t leaf = common_leaf(child);
    if (leaf == all_named().size() || (&child != tree.children.data() && leaf != common)) return all_named().size();
    common = leaf;
  }
  return common;
}

// To and from another random type with leaves of the same type: as many elements of each as have equally many entries.
bool exchange_with_another_tree(const Subject& subject) {
  const std::size_t leaf = common_leaf(subject.tree);
  if (leaf == all_named().size() || subject.count == 0 || subject.entries() == 0) return false;
  Taste taste = subject.scope.taste;
  taste.depth = 3;
  taste.entries = 64;
  taste.reach = 4096;
  taste.empty = false;
  taste.leaf = leaf;
  const Sample other = random_sample(subject.random, taste);
  const auto entries = static_cast<std::int64_t>(other.map.entries.size());
  const std::int64_t total = std::lcm(entries, subject.count * subject.entries());
  if (total > 16 * most_entries) return false;
  Subject several = subject;
  several.count = total / subject.entries();
  several.receivable = !overlaps(subject.map, several.count);
  try_both_ways(several, other, total / entries);
  return true;
}

// Enough elements that the message is a long one.
void exchange_many(const Subject& subject) {
  const std::int64_t size = subject.map.size();
  if (size == 0) return;
  const std::int64_t spread = std::abs(subject.map.extent()) + 1;
  const std::int64_t count = std::min(between(subject.random, 1, 400'000) / size + 1, (4 << 20) / spread + 1);
  const Side side{subject.map, subject.type, count};
  if (!overlaps(subject.map, count)) transfer(side, side, subject.random, "a long message");
}

}  // namespace

void check_exchange(const Subject& subject) {
  if (chance(subject.random, 2)) exchange_many(subject);
  const std::int64_t entries = subject.count * subject.entries();
  if (chance(subject.random, 70) && exchange_with_another_tree(subject)) return;
  if (entries > most_entries) return;
  Random* random = chance(subject.random, 60) ? &subject.random : nullptr;
  try_both_ways(subject, same_signature(subject.map, entries, subject.scope.taste.aligned ? 16 : 1, random), 1);
}

void check_partial(const Subject& subject) {
  if (!subject.receivable) return;
  const std::int64_t entries = between(subject.random, 0, std::min(subject.count * subject.entries(), most_entries));
  const Sample sent = same_signature(subject.map, entries, 1, nullptr);
  const Datatype made = Datatype(sent.tree).commit();
  const Side to{subject.map, subject.type, subject.count};
  MPI_Status status =
      transfer({sent.map, made.get(), 1}, to, subject.random, "a message that is shorter than its receive");
  expect_status(status, to, entries, subject.scope);
}

}  // namespace types
