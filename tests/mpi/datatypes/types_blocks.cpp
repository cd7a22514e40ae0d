// SPDX-License-Identifier: BSD-3-Clause
// Messages of few long and of many short blocks, made by every constructor that makes blocks: as long as where a
// transport's ways of sending them change, in every mode of sending, into contiguous memory and out of it.
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// A datatype, its element at the middle of a memory, and the place of every int of its data there.
struct Layout {
  std::string name;
  MPI_Datatype type;
  std::vector<std::size_t> places;
  std::size_t ints;  ///< of the memory
  std::size_t origin;
};

/// `blocks` blocks of `length` ints, whose places are chosen by `place(i)`, relative to the element, in ints.
template <class Place>
Layout layout(const char* name, MPI_Datatype type, int blocks, int length, Place place) {
  CHECK_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
  const std::size_t half = static_cast<std::size_t>(blocks + 2) * (static_cast<std::size_t>(length) + 8);
  Layout made{name, type, {}, 2 * half, half};
  for (int i = 0; i < blocks; ++i) {
    for (int k = 0; k < length; ++k)
      made.places.push_back(static_cast<std::size_t>(static_cast<std::int64_t>(half) + place(i) + k));
  }
  return made;
}

std::vector<Layout> layouts(int blocks, int length) {
  std::vector<Layout> all;
  const int stride = length + 3;
  MPI_Datatype type;
  CHECK_EQ(MPI_Type_vector(blocks, length, stride, MPI_INT, &type), MPI_SUCCESS);
  all.push_back(layout("vector", type, blocks, length, [&](int i) { return i * stride; }));
  CHECK_EQ(MPI_Type_vector(blocks, length, -stride, MPI_INT, &type), MPI_SUCCESS);
  all.push_back(layout("vector backwards", type, blocks, length, [&](int i) { return -i * stride; }));

  // Every block has an empty one behind it; the first half of the blocks comes last.
  const auto turned = [&](int i) { return (i + blocks / 2) % blocks * stride; };
  std::vector<int> lengths, places;
  std::vector<MPI_Aint> addresses;
  std::vector<MPI_Datatype> types;
  for (int i = 0; i < blocks; ++i) {
    lengths.insert(lengths.end(), {length, 0});
    places.insert(places.end(), {turned(i), turned(i) + 1});
    for (const int place : {turned(i), turned(i) + 1}) addresses.push_back(place * static_cast<MPI_Aint>(sizeof(int)));
    types.insert(types.end(), {MPI_INT, MPI_DOUBLE});
  }
  CHECK_EQ(MPI_Type_indexed(2 * blocks, lengths.data(), places.data(), MPI_INT, &type), MPI_SUCCESS);
  all.push_back(layout("indexed", type, blocks, length, turned));
  CHECK_EQ(MPI_Type_create_struct(2 * blocks, lengths.data(), addresses.data(), types.data(), &type), MPI_SUCCESS);
  all.push_back(layout("struct", type, blocks, length, turned));
  return all;
}

std::vector<int> memory_with(const Layout& in, const std::vector<int>& data) {
  std::vector<int> memory(in.ints, -1);
  for (std::size_t i = 0; i < data.size(); ++i) memory[in.places[i]] = data[i];
  return memory;
}

std::vector<int> numbers(std::size_t count, int of_rank) {
  std::vector<int> data(count);
  std::iota(data.begin(), data.end(), 10'000'000 * of_rank);
  return data;
}

enum class Way { standard, synchronous, persistent };

void exchange(const void* out, int sent, MPI_Datatype from, void* in, int expected, MPI_Datatype to, Way way) {
  std::array<MPI_Request, 2> requests;
  CHECK_EQ(MPI_Irecv(in, expected, to, check::left(), 4, world, &requests[0]), MPI_SUCCESS);
  if (way == Way::standard) CHECK_EQ(MPI_Isend(out, sent, from, check::right(), 4, world, &requests[1]), MPI_SUCCESS);
  if (way == Way::synchronous)
    CHECK_EQ(MPI_Issend(out, sent, from, check::right(), 4, world, &requests[1]), MPI_SUCCESS);
  if (way == Way::persistent) {
    CHECK_EQ(MPI_Send_init(out, sent, from, check::right(), 4, world, &requests[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&requests[1]), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  if (way == Way::persistent) CHECK_EQ(MPI_Request_free(&requests[1]), MPI_SUCCESS);
}

void there_and_back(int blocks, int length) {
  const auto ints = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(length);
  const std::vector<int> mine = numbers(ints, check::rank), theirs = numbers(ints, check::left());
  const std::vector<Layout> all = layouts(blocks, length);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Layout &from = all[i], &to = all[(i + 1) % all.size()];
    const std::vector<int> out = memory_with(from, mine), expected = memory_with(to, theirs);
    std::vector<int> together(ints, -1), apart(to.ints, -1);
    exchange(&out[from.origin], 1, from.type, together.data(), static_cast<int>(ints), MPI_INT, Way::standard);
    if (!CHECK(together == theirs)) check::report(__FILE__, __LINE__, from.name + " of " + std::to_string(blocks));
    exchange(mine.data(), static_cast<int>(ints), MPI_INT, &apart[to.origin], 1, to.type, Way::synchronous);
    CHECK(apart == expected);
    apart.assign(apart.size(), -1);
    exchange(&out[from.origin], 1, from.type, &apart[to.origin], 1, to.type,
             i % 2 == 0 ? Way::persistent : Way::synchronous);
    CHECK(apart == expected);
  }
  for (Layout each : all) MPI_Type_free(&each.type);
}

// The receiver has room for all but some of the last block.
void truncated(int blocks, int length) {
  CHECK_EQ(MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN), MPI_SUCCESS);
  const auto ints = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(length);
  const std::size_t room = ints - 5;
  for (Layout from : layouts(blocks, length)) {
    const std::vector<int> out = memory_with(from, numbers(ints, check::rank));
    std::vector<int> in(ints, -1), expected = numbers(ints, check::left());
    std::fill(expected.begin() + static_cast<std::ptrdiff_t>(room), expected.end(), -1);
    MPI_Request request;
    CHECK_EQ(MPI_Isend(&out[from.origin], 1, from.type, check::right(), 4, world, &request), MPI_SUCCESS);
    const int got = MPI_Recv(in.data(), static_cast<int>(room), MPI_INT, check::left(), 4, world, MPI_STATUS_IGNORE);
    int error_class = MPI_SUCCESS;
    CHECK_EQ(MPI_Error_class(got, &error_class), MPI_SUCCESS);
    CHECK_EQ(error_class, MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(in == expected);
    MPI_Type_free(&from.type);
  }
  CHECK_EQ(MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
}

// Partitions of one such element each, made ready from the last to the first.
void partitioned(int blocks, int length) {
  constexpr int partitions = 3;
  const auto ints = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(length);
  MPI_Datatype vector, spaced;
  CHECK_EQ(MPI_Type_vector(blocks, length, length + 3, MPI_INT, &vector), MPI_SUCCESS);
  const std::size_t extent = static_cast<std::size_t>(blocks) * (static_cast<std::size_t>(length) + 3);
  CHECK_EQ(MPI_Type_create_resized(vector, 0, static_cast<MPI_Aint>(extent * sizeof(int)), &spaced), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_commit(&spaced), MPI_SUCCESS);
  const std::vector<int> mine = numbers(partitions * ints, check::rank);
  std::vector<int> out(partitions * extent, -1), in(partitions * ints, -1);
  const auto width = static_cast<std::size_t>(length);
  for (std::size_t i = 0; i < mine.size(); ++i) out[i / width * (width + 3) + i % width] = mine[i];
  std::array<MPI_Request, 2> requests;
  CHECK_EQ(MPI_Psend_init(out.data(), partitions, 1, spaced, check::right(), 4, world, MPI_INFO_NULL, &requests[0]),
           MPI_SUCCESS);
  CHECK_EQ(MPI_Precv_init(in.data(), partitions, static_cast<MPI_Count>(ints), MPI_INT, check::left(), 4, world,
                          MPI_INFO_NULL, &requests[1]),
           MPI_SUCCESS);
  CHECK_EQ(MPI_Startall(2, requests.data()), MPI_SUCCESS);
  for (int partition = partitions - 1; partition >= 0; --partition)
    CHECK_EQ(MPI_Pready(partition, requests[0]), MPI_SUCCESS);
  CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK(in == numbers(partitions * ints, check::left()));
  for (MPI_Request& request : requests) MPI_Request_free(&request);
  MPI_Type_free(&vector);
  MPI_Type_free(&spaced);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  // Bytes in all: about 8 KiB, 64 KiB, and two pieces of 128 KiB.
  for (const int blocks : {2, 15, 16, 40}) {
    for (const int bytes : {8'000, 8'200, 65'500, 65'700, 150'000})
      there_and_back(blocks, bytes / blocks / static_cast<int>(sizeof(int)));
  }
  there_and_back(9'000, 2);
  there_and_back(17, 12'000);
  truncated(3, 5'000);
  truncated(3, 9'000);
  truncated(40, 4'000);
  truncated(900, 20);
  partitioned(3, 4'000);
  partitioned(3, 40'000);
  partitioned(300, 100);
  return program.finish();
}
