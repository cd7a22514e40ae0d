// SPDX-License-Identifier: BSD-3-Clause
#include "types/checks.hpp"

#include <cstring>

namespace types {

namespace {

constexpr std::byte untouched{0xee};

int as_int(std::int64_t value) {
  return static_cast<int>(value);
}

// Some implementations refuse a null pointer even for no bytes, so every stream has an address.
Bytes with_address(const Bytes& stream) {
  Bytes copy;
  copy.reserve(stream.size() + 1);
  copy.insert(copy.end(), stream.begin(), stream.end());
  return copy;
}

Bytes stream_of(std::size_t bytes) {
  Bytes stream;
  stream.reserve(bytes + 1);
  stream.resize(bytes, untouched);
  return stream;
}

using Check = void (*)(const Subject&);

// Runs a check unless one has failed already.
void run(const char* name, Check check, const Subject& subject, Outcome& outcome) {
  if (outcome.failed()) return;
  try {
    check(subject);
  } catch (const Failure& failure) {
    outcome = {name, failure.text};
  }
}

// All ranks go on only if none has failed, because the rest are messages between them.
void agree(Outcome& outcome) {
  int failed = outcome.failed() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (failed != 0 && !outcome.failed()) outcome = {"another rank's", "another rank failed"};
}

// Packs elements one by one behind each other.
void check_pack_single(const Subject& subject, Memory& memory, const Bytes& expected) {
  Bytes stream = stream_of(expected.size());
  int position = 0;
  for (std::int64_t i = 0; i < subject.count; ++i) {
    call(MPI_Pack(memory.base() + i * subject.map.extent(), 1, subject.type, stream.data(), as_int(expected.size()),
                  &position, MPI_COMM_SELF),
         "MPI_Pack of one element");
    expect_equal(position, as_int((i + 1) * subject.map.size()), "the position after MPI_Pack of one element");
  }
  expect_equal(stream, expected, "what MPI_Pack made element by element");
}

}  // namespace

Memory random_memory(const TypeMap& map, std::int64_t count, Random& random) {
  Memory memory = memory_for(map, count, std::byte{0});
  std::uint64_t word = random();
  for (std::byte& byte : memory.bytes) {
    word = word * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(word >> 56);
  }
  return memory;
}

void expect_equal(const Bytes& found, const Bytes& expected, const char* what) {
  if (found == expected) return;
  for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i) {
    if (found[i] == expected[i]) continue;
    throw Failure{std::string(what) + " differs at byte " + std::to_string(i) + " of " + std::to_string(found.size()) +
                  ": it is " + std::to_string(std::to_integer<int>(found[i])) + ", not " +
                  std::to_string(std::to_integer<int>(expected[i]))};
  }
  expect_equal(found.size(), expected.size(), "the number of bytes");
}

void check_bounds(const Subject& subject) {
  int size = -1;
  MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  call(MPI_Type_size(subject.type, &size), "MPI_Type_size");
  call(MPI_Type_get_extent(subject.type, &lb, &extent), "MPI_Type_get_extent");
  call(MPI_Type_get_true_extent(subject.type, &true_lb, &true_extent), "MPI_Type_get_true_extent");
  const Interval bounds = subject.map.bounds(), data = subject.map.true_bounds();
  expect_equal(size, as_int(subject.map.size()), "the size");
  expect_equal(true_lb, data.low, "the true lower bound");
  expect_equal(true_extent, data.length(), "the true extent");
  expect_equal(lb, bounds.low, "the lower bound");
  expect_equal(extent, bounds.length(), "the extent");
}

void check_pack(const Subject& subject) {
  Memory memory = random_memory(subject.map, subject.count, subject.random);
  const Bytes expected = pack(subject.map, subject.count, memory);
  int enough = -1;
  call(MPI_Pack_size(as_int(subject.count), subject.type, MPI_COMM_SELF, &enough), "MPI_Pack_size");
  if (enough < as_int(expected.size())) throw Failure{"MPI_Pack_size is less than the data"};
  // A few bytes before and behind must stay as they are.
  const int before = as_int(between(subject.random, 0, 9));
  Bytes stream(static_cast<std::size_t>(before) + expected.size() + 8, untouched);
  int position = before;
  call(MPI_Pack(memory.base(), as_int(subject.count), subject.type, stream.data(), as_int(stream.size()), &position,
                MPI_COMM_SELF),
       "MPI_Pack");
  expect_equal(position, before + as_int(expected.size()), "the position after MPI_Pack");
  Bytes whole(static_cast<std::size_t>(before), untouched);
  whole.insert(whole.end(), expected.begin(), expected.end());
  whole.resize(stream.size(), untouched);
  expect_equal(stream, whole, "what MPI_Pack made");
  check_pack_single(subject, memory, expected);
}

void check_bottom(const Subject& subject) {
  Memory memory = random_memory(subject.map, subject.count, subject.random);
  const Bytes expected = pack(subject.map, subject.count, memory);
  MPI_Aint address = 0;
  call(MPI_Get_address(memory.base(), &address), "MPI_Get_address");
  const int length = as_int(subject.count);
  MPI_Datatype absolute = MPI_DATATYPE_NULL;
  MPI_Datatype type = subject.type;
  call(MPI_Type_create_struct(1, &length, &address, &type, &absolute), "MPI_Type_create_struct with an address");
  call(MPI_Type_commit(&absolute), "MPI_Type_commit");
  Bytes stream = stream_of(expected.size());
  int position = 0;
  const int result =
      MPI_Pack(MPI_BOTTOM, 1, absolute, stream.data(), as_int(expected.size()), &position, MPI_COMM_SELF);
  MPI_Type_free(&absolute);
  call(result, "MPI_Pack from MPI_BOTTOM");
  expect_equal(stream, expected, "what MPI_Pack made from MPI_BOTTOM");
}

void check_unpack(const Subject& subject) {
  if (!subject.receivable) return;
  const Memory source = random_memory(subject.map, subject.count, subject.random);
  const Bytes stream = with_address(pack(subject.map, subject.count, source));
  Memory expected = memory_for(subject.map, subject.count, untouched);
  unpack(subject.map, stream, expected);
  const int insize = as_int(stream.size());
  Memory memory = memory_for(subject.map, subject.count, untouched);
  int position = 0;
  call(MPI_Unpack(stream.data(), insize, &position, memory.base(), as_int(subject.count), subject.type, MPI_COMM_SELF),
       "MPI_Unpack");
  expect_equal(position, insize, "the position after MPI_Unpack");
  expect_equal(memory.bytes, expected.bytes, "what MPI_Unpack wrote");
  memory = memory_for(subject.map, subject.count, untouched);
  position = 0;
  for (std::int64_t i = 0; i < subject.count; ++i) {
    call(MPI_Unpack(stream.data(), insize, &position, memory.base() + i * subject.map.extent(), 1, subject.type,
                    MPI_COMM_SELF),
         "MPI_Unpack of one element");
    expect_equal(position, as_int((i + 1) * subject.map.size()), "the position after MPI_Unpack of one element");
  }
  expect_equal(memory.bytes, expected.bytes, "what MPI_Unpack wrote element by element");
}

void check_contents(const Subject& subject) {
  const Tree told = read_back(subject.type);
  if (told != subject.tree) throw Failure{"the contents of the type tell of another one:\n" + text(told)};
  Datatype again = Datatype(told).commit();
  const Subject copy{told, subject.map, again.get(), subject.count, subject.receivable, subject.random, subject.scope};
  check_bounds(copy);
  Memory memory = random_memory(subject.map, subject.count, subject.random);
  const Bytes expected = pack(subject.map, subject.count, memory);
  Bytes stream = stream_of(expected.size());
  int position = 0;
  call(MPI_Pack(memory.base(), as_int(subject.count), again.get(), stream.data(), as_int(stream.size()), &position,
                MPI_COMM_SELF),
       "MPI_Pack of a type made from contents");
  expect_equal(stream, expected, "what MPI_Pack made of a type made from contents");
}

void check_external(const Subject& subject) {
  if (!has_plain_external32(subject.map)) return;
  char name[] = "external32";  // not constant, because older bindings ask for that
  Memory memory = random_memory(subject.map, subject.count, subject.random);
  const Bytes native = pack(subject.map, subject.count, memory);
  const Bytes expected = external32(subject.map, subject.count, native);
  MPI_Aint size = -1, position = 0;
  call(MPI_Pack_external_size(name, as_int(subject.count), subject.type, &size), "MPI_Pack_external_size");
  expect_equal(size, static_cast<MPI_Aint>(expected.size()), "the size for MPI_Pack_external");
  Bytes stream = stream_of(expected.size());
  call(MPI_Pack_external(name, memory.base(), as_int(subject.count), subject.type, stream.data(), size, &position),
       "MPI_Pack_external");
  expect_equal(position, size, "the position after MPI_Pack_external");
  expect_equal(stream, expected, "what MPI_Pack_external made");
  if (!subject.receivable) return;
  Memory copy = memory_for(subject.map, subject.count, untouched), wanted = copy;
  unpack(subject.map, native, wanted);
  position = 0;
  call(MPI_Unpack_external(name, stream.data(), size, &position, copy.base(), as_int(subject.count), subject.type),
       "MPI_Unpack_external");
  expect_equal(position, size, "the position after MPI_Unpack_external");
  expect_equal(copy.bytes, wanted.bytes, "what MPI_Unpack_external wrote");
}

Outcome check_all(const Tree& tree, const TypeMap& map, std::uint64_t seed, const Scope& scope) {
  Random random(seed), common(seed + 1);
  Outcome outcome;
  try {
    const Datatype type = Datatype(tree).commit();
    const std::int64_t count = between(random, 0, 3);
    const Subject subject{tree, map, type.get(), count, !overlaps(map, count), random, scope};
    run("bounds", check_bounds, subject, outcome);
    run("pack", check_pack, subject, outcome);
    if (scope.bottom) run("bottom", check_bottom, subject, outcome);
    run("unpack", check_unpack, subject, outcome);
    run("contents", check_contents, subject, outcome);
    if (scope.external) run("external32", check_external, subject, outcome);
    const Subject shared{tree, map, type.get(), count, subject.receivable, common, scope};
    agree(outcome);
    run("exchange", check_exchange, shared, outcome);
    agree(outcome);
    run("partial", check_partial, shared, outcome);
    agree(outcome);
  } catch (const Failure& failure) {
    outcome = {"construction", failure.text};
  }
  return outcome;
}

}  // namespace types
