// SPDX-License-Identifier: BSD-3-Clause
// Data representations: the bytes of external32 of every type, views whose types have other sizes in the file, and the
// functions of a program.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "datatypes.hpp"
#include "files.hpp"

namespace {

constexpr int read_write = MPI_MODE_CREATE | MPI_MODE_RDWR;

bool is_logical(const std::string& name) {
  return name.find("LOGICAL") != std::string::npos || name.find("BOOL") != std::string::npos;
}

// Every type, written and read by each way of access: the bytes are those of MPI_Pack_external.
void check_every_type(const char* name) {
  for (const check::Type& type : check::all_types()) {
    constexpr int count = 5;
    files::Bytes data(type.extent * count), back(data.size());
    for (int i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < type.extent; ++j) {
        // Small values that external32 can hold in any type; logical ones are 1.
        const bool first = type.carries(j) && j % 16 == 0;
        data[static_cast<std::size_t>(i) * type.extent + j] =
            static_cast<unsigned char>(first ? (is_logical(type.name) ? 1 : i + 1) : 0);
      }
    }
    MPI_Aint packed_size = 0, position = 0;
    CHECK_EQ(MPI_Pack_external_size("external32", count, type.handle, &packed_size), MPI_SUCCESS);
    files::Bytes packed(static_cast<std::size_t>(packed_size));
    CHECK_EQ(MPI_Pack_external("external32", data.data(), count, type.handle, packed.data(), packed_size, &position),
             MPI_SUCCESS);

    MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
    CHECK_EQ(MPI_File_set_view(file, 3, type.handle, type.handle, "external32", MPI_INFO_NULL), MPI_SUCCESS);
    MPI_Aint extent = 0;
    CHECK_EQ(MPI_File_get_type_extent(file, type.handle, &extent), MPI_SUCCESS);
    CHECK_EQ(extent * count, packed_size);
    MPI_Status status;
    CHECK_EQ(MPI_File_write_at_all(file, count * check::rank, data.data(), count, type.handle, &status), MPI_SUCCESS);
    CHECK_EQ(files::count_of(status, type.handle), count);
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_EQ(MPI_File_iread_at(file, count * check::rank, back.data(), count, type.handle, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    CHECK_EQ(files::count_of(status, type.handle), count);
    files::Bytes again(packed.size());  // padding has any value, so what has been read is packed, too
    position = 0;
    MPI_Pack_external("external32", back.data(), count, type.handle, again.data(), packed_size, &position);
    if (!CHECK(again == packed)) std::fprintf(stderr, "%s\n", type.name);
    files::close(file);
    if (check::rank == 0) {
      const files::Bytes found = files::bytes_of(name);
      CHECK_EQ(found.size(), 3 + packed.size() * static_cast<std::size_t>(check::size));
      for (int rank = 0; rank < check::size; ++rank) {
        const auto at = static_cast<std::ptrdiff_t>(3 + packed.size() * static_cast<std::size_t>(rank));
        if (!CHECK(std::equal(packed.begin(), packed.end(), found.begin() + at)))
          std::fprintf(stderr, "%s\n", type.name);
      }
      unlink(name);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// A column of a matrix of longs, which have four bytes in the file, and a struct with a byte in front of each.
void check_derived(const char* name) {
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
  MPI_Datatype column = MPI_DATATYPE_NULL, record = MPI_DATATYPE_NULL;
  const int sizes[2] = {4, check::size}, subsizes[2] = {4, 1}, starts[2] = {0, check::rank};
  MPI_Type_create_subarray(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_LONG, &column);
  MPI_Type_commit(&column);
  CHECK_EQ(MPI_File_set_view(file, 0, MPI_LONG, column, "external32", MPI_INFO_NULL), MPI_SUCCESS);
  MPI_Aint extent = 0;
  MPI_File_get_type_extent(file, column, &extent);
  CHECK_EQ(extent, 4 * 4 * check::size);
  std::array<long, 8> mine{}, back{};  // two matrices
  for (std::size_t i = 0; i < 8; ++i) mine[i] = check::rank * 1000 + static_cast<long>(i);
  MPI_Status status;
  CHECK_EQ(MPI_File_write_all(file, mine.data(), 8, MPI_LONG, &status), MPI_SUCCESS);
  MPI_Offset offset = -1;
  MPI_File_get_byte_offset(file, 5, &offset);
  CHECK_EQ(offset, 4 * 4 * check::size + 4 * check::size + 4 * check::rank);
  CHECK_EQ(MPI_File_read_at(file, 0, back.data(), 8, MPI_LONG, &status), MPI_SUCCESS);
  CHECK(back == mine);
  MPI_Barrier(MPI_COMM_WORLD);
  const files::Bytes bytes = files::bytes_of(name);
  for (int row = 0; row < 8; ++row) {
    for (int rank = 0; rank < check::size; ++rank) {
      const auto at = static_cast<std::size_t>(4 * (row * check::size + rank));
      const unsigned value = static_cast<unsigned>(rank * 1000 + row);
      CHECK_EQ(bytes[at] << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3], static_cast<int>(value));
    }
  }
  // Reading beyond the end counts whole elements.
  CHECK_EQ(MPI_File_read_at_all(file, 6, back.data(), 8, MPI_LONG, &status), MPI_SUCCESS);
  CHECK_EQ(files::count_of(status, MPI_LONG), 2);
  CHECK_EQ(back[1], mine[7]);

  struct Pair {
    char letter;
    double number;
  };
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 8};
  MPI_Datatype types[2] = {MPI_CHAR, MPI_DOUBLE};
  MPI_Type_create_struct(2, lengths, places, types, &record);
  MPI_Type_commit(&record);
  CHECK_EQ(MPI_File_set_view(file, 0, record, record, "external32", MPI_INFO_NULL), MPI_SUCCESS);
  MPI_File_get_type_extent(file, record, &extent);
  CHECK_EQ(extent, 16);
  const std::array<Pair, 2> pairs = {Pair{'a', 1.5}, Pair{'b', -2.25}};
  std::array<Pair, 2> found{};
  CHECK_EQ(MPI_File_write_at(file, 2 * check::rank, pairs.data(), 2, record, &status), MPI_SUCCESS);
  CHECK_EQ(MPI_File_read_at(file, 2 * check::rank, found.data(), 2, record, &status), MPI_SUCCESS);
  CHECK_EQ(files::count_of(status, record), 2);
  CHECK(found[1].letter == 'b' && found[1].number == -2.25);
  // A value that external32 cannot hold.
  CHECK_EQ(MPI_File_set_view(file, 0, MPI_LONG, MPI_LONG, "external32", MPI_INFO_NULL), MPI_SUCCESS);
  const long large = 1L << 40;
  CHECK_EQ(files::class_of(MPI_File_write_at(file, 0, &large, 1, MPI_LONG, &status)), MPI_ERR_CONVERSION);
  CHECK_EQ(files::class_of(
               MPI_File_write_at_all(file, check::rank, check::rank == 0 ? &large : mine.data(), 1, MPI_LONG, &status)),
           MPI_ERR_CONVERSION);
  files::close(file);
  MPI_Type_free(&column);
  MPI_Type_free(&record);
}

// ---- functions of the program

struct Calls {
  int reads = 0, writes = 0, extents = 0;
  int fail = MPI_SUCCESS;
};

// Integers as decimal digits: "-0000012345".
constexpr int digits = 11;

int write_digits(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void* state) {
  auto& calls = *static_cast<Calls*>(state);
  ++calls.writes;
  CHECK(type == MPI_INT);
  const int* from = static_cast<const int*>(user) + position;
  auto* to = static_cast<char*>(file);
  for (int i = 0; i < count; ++i, to += digits) {
    std::array<char, digits + 1> text{};
    std::snprintf(text.data(), text.size(), "%+011d", from[i]);
    std::memcpy(to, text.data(), digits);
  }
  return calls.fail;
}

int read_digits(void* user, MPI_Datatype type, int count, void* file, MPI_Offset position, void* state) {
  auto& calls = *static_cast<Calls*>(state);
  ++calls.reads;
  CHECK(type == MPI_INT);
  int* to = static_cast<int*>(user) + position;
  const auto* from = static_cast<const char*>(file);
  for (int i = 0; i < count; ++i, from += digits) to[i] = std::atoi(std::string(from, digits).c_str());
  return calls.fail;
}

int extent_of_digits(MPI_Datatype type, MPI_Aint* extent, void* state) {
  ++static_cast<Calls*>(state)->extents;
  *extent = type == MPI_INT ? digits : 1;
  return MPI_SUCCESS;
}

int write_large(void* user, MPI_Datatype type, MPI_Count count, void* file, MPI_Offset position, void* state) {
  return write_digits(user, type, static_cast<int>(count), file, position, state);
}
int read_large(void* user, MPI_Datatype type, MPI_Count count, void* file, MPI_Offset position, void* state) {
  return read_digits(user, type, static_cast<int>(count), file, position, state);
}

void check_registered(const char* name, const char* representation, Calls& calls) {
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
  CHECK_EQ(MPI_File_set_size(file, 0), MPI_SUCCESS);
  MPI_Datatype turns = MPI_DATATYPE_NULL;
  MPI_Type_vector(1, 1, 1, MPI_INT, &turns);
  MPI_Datatype filetype = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(turns, 0, MPI_Aint{digits} * check::size, &filetype);
  MPI_Type_commit(&filetype);
  CHECK_EQ(MPI_File_set_view(file, MPI_Offset{digits} * check::rank, MPI_INT, filetype, representation, MPI_INFO_NULL),
           MPI_SUCCESS);
  MPI_Aint extent = 0;
  MPI_File_get_type_extent(file, MPI_INT, &extent);
  CHECK_EQ(extent, digits);
  const std::array<int, 4> mine = {check::rank, -check::rank - 1, 1000000 + check::rank, 7};
  std::array<int, 4> back{};
  MPI_Status status;
  CHECK_EQ(MPI_File_write_all(file, mine.data(), 4, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQ(files::count_of(status, MPI_INT), 4);
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(MPI_File_iread_at_all(file, 0, back.data(), 4, MPI_INT, &request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  CHECK(back == mine);
  // The end of the file cuts the data at whole elements.
  back.fill(-5);
  CHECK_EQ(MPI_File_read_at(file, 3, back.data(), 4, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQ(files::count_of(status, MPI_INT), 1);
  CHECK_EQ(back[0], 7);
  CHECK_EQ(back[1], -5);
  MPI_Barrier(MPI_COMM_WORLD);
  const files::Bytes bytes = files::bytes_of(name);
  std::string expected = "+0000000000";
  CHECK_EQ(std::string(bytes.begin(), bytes.begin() + digits), expected);
  CHECK(calls.reads > 0 && calls.writes > 0 && calls.extents > 0);
  // A function that fails on one rank is an error on all.
  calls.fail = check::rank == check::size - 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
  const int code = MPI_File_write_at_all(file, 0, mine.data(), 1, MPI_INT, &status);
  CHECK_EQ(files::class_of(code), MPI_ERR_CONVERSION);
  CHECK(files::says(code, representation));
  calls.fail = MPI_SUCCESS;
  files::close(file);
  MPI_Type_free(&turns);
  MPI_Type_free(&filetype);
}

void check_own(const char* name) {
  static Calls small, large, none;
  CHECK_EQ(MPI_Register_datarep("digits", read_digits, write_digits, extent_of_digits, &small), MPI_SUCCESS);
  CHECK_EQ(MPI_Register_datarep_c("large digits", read_large, write_large, extent_of_digits, &large), MPI_SUCCESS);
  for (const char* const taken : {"digits", "native", "external32"}) {
    CHECK_EQ(files::class_of(MPI_Register_datarep(taken, read_digits, write_digits, extent_of_digits, &none)),
             MPI_ERR_DUP_DATAREP);
  }
  CHECK_EQ(files::class_of(MPI_Register_datarep(std::string(MPI_MAX_DATAREP_STRING, 'x').c_str(), read_digits,
                                                write_digits, extent_of_digits, &none)),
           MPI_ERR_ARG);
  CHECK_EQ(files::class_of(MPI_Register_datarep("no extents", read_digits, write_digits, nullptr, &none)), MPI_ERR_ARG);
  check_registered(name, "digits", small);
  check_registered(name, "large digits", large);
  // Without conversion functions the data are as they are in memory.
  const auto native_extent = [](MPI_Datatype type, MPI_Aint* extent, void*) {
    MPI_Aint lb = 0;
    return MPI_Type_get_extent(type, &lb, extent);
  };
  CHECK_EQ(MPI_Register_datarep("plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, native_extent, nullptr),
           MPI_SUCCESS);
  MPI_File file = files::open(MPI_COMM_WORLD, name, read_write);
  CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "plain", MPI_INFO_NULL), MPI_SUCCESS);
  const int mine = check::rank + 12345;
  int back = 0;
  MPI_Status status;
  CHECK_EQ(MPI_File_write_at(file, check::rank, &mine, 1, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQ(MPI_File_read_at(file, check::rank, &back, 1, MPI_INT, &status), MPI_SUCCESS);
  CHECK_EQ(back, mine);
  files::close(file);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  {
    const files::Name name("representations");
    check_every_type(name.get());
    check_derived(name.get());
    check_own(name.get());
  }
  return program.finish();
}
