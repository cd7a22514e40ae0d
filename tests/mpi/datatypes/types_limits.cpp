// SPDX-License-Identifier: BSD-3-Clause
// Datatypes at their limits: nothing in them, more elements than an int counts, numbers that 64 bits do not hold. The
// answer is right, or MPI_UNDEFINED where the standard has that for what an int cannot say, or an error; never a number
// that has wrapped around, and never a wait for billions of steps that do nothing.
#include <mpi.h>

#include <climits>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

constexpr MPI_Count huge = 5'000'000'000;  // does not fit 32 bits, and not 32 bits without a sign
constexpr MPI_Count top = INT64_MAX;

// A datatype, committed, which is freed at the end.
class Type {
 public:
  explicit Type(const std::function<int(MPI_Datatype*)>& make) {
    CHECK_EQ(make(&handle_), MPI_SUCCESS);
    if (handle_ != MPI_DATATYPE_NULL) CHECK_EQ(MPI_Type_commit(&handle_), MPI_SUCCESS);
  }
  Type(const Type&) = delete;
  Type& operator=(const Type&) = delete;
  ~Type() {
    if (handle_ != MPI_DATATYPE_NULL) CHECK_EQ(MPI_Type_free(&handle_), MPI_SUCCESS);
  }
  operator MPI_Datatype() const { return handle_; }

 private:
  MPI_Datatype handle_ = MPI_DATATYPE_NULL;
};

Type contiguous(MPI_Count count, MPI_Datatype old) {
  return Type([=](MPI_Datatype* made) { return MPI_Type_contiguous_c(count, old, made); });
}

Type resized(MPI_Datatype old, MPI_Count lb, MPI_Count extent) {
  return Type([=](MPI_Datatype* made) { return MPI_Type_create_resized_c(old, lb, extent, made); });
}

// Whether a constructor that would need more than 64 bits says so in words.
bool refused(const std::function<int(MPI_Datatype*)>& make) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const int result = make(&made);
  if (result == MPI_SUCCESS) return MPI_Type_free(&made) != MPI_SUCCESS;  // that is, no
  int error_class = MPI_SUCCESS;
  MPI_Error_class(result, &error_class);
  return error_class == MPI_ERR_ARG || error_class == MPI_ERR_COUNT;
}

// A type without data: its sizes, and that any number of elements moves nothing.
void check_empty(MPI_Datatype type) {
  MPI_Count size = -1, true_lb = -1, true_extent = -1;
  CHECK_EQ(MPI_Type_size_c(type, &size), MPI_SUCCESS);
  CHECK_EQ(size, 0);
  CHECK_EQ(MPI_Type_get_true_extent_c(type, &true_lb, &true_extent), MPI_SUCCESS);
  CHECK_EQ(true_lb, 0);
  CHECK_EQ(true_extent, 0);
  char memory = 'm', stream = 's';
  for (const MPI_Count count : {MPI_Count{0}, MPI_Count{1}, MPI_Count{7}, huge, MPI_Count{1} << 62}) {
    MPI_Count position = 0, room = -1;
    CHECK_EQ(MPI_Pack_size_c(count, type, MPI_COMM_SELF, &room), MPI_SUCCESS);
    CHECK(room >= 0 && room < 64);
    CHECK_EQ(MPI_Pack_c(&memory, count, type, &stream, 0, &position, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(MPI_Unpack_c(&stream, 0, &position, &memory, count, type, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(position, 0);
    MPI_Status status;
    CHECK_EQ(MPI_Sendrecv_c(&memory, count, type, 0, 3, &memory, count, type, 0, 3, MPI_COMM_SELF, &status),
             MPI_SUCCESS);
    MPI_Count received = -1, elements = -1;
    CHECK_EQ(MPI_Get_count_c(&status, type, &received), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_elements_c(&status, type, &elements), MPI_SUCCESS);
    CHECK_EQ(received, 0);
    CHECK_EQ(elements, 0);
  }
  CHECK_EQ(memory, 'm');
  CHECK_EQ(stream, 's');
}

void empty_types() {
  const int lengths[] = {0, 0, 0}, places[] = {5, -3, 0};
  const MPI_Aint addresses[] = {1000, -1000, 0};
  const MPI_Datatype olds[] = {MPI_INT, MPI_CHAR, MPI_DOUBLE};
  check_empty(contiguous(0, MPI_INT));
  check_empty(contiguous(huge, contiguous(0, MPI_INT)));
  check_empty(resized(contiguous(0, MPI_INT), -8, 24));
  check_empty(contiguous(3, resized(contiguous(0, MPI_INT), -8, 24)));
  check_empty(Type([](MPI_Datatype* made) { return MPI_Type_vector(0, 4, 9, MPI_INT, made); }));
  check_empty(Type([](MPI_Datatype* made) { return MPI_Type_vector(9, 0, 4, MPI_INT, made); }));
  check_empty(Type([&](MPI_Datatype* made) { return MPI_Type_indexed(0, lengths, places, MPI_INT, made); }));
  check_empty(Type([&](MPI_Datatype* made) { return MPI_Type_indexed(3, lengths, places, MPI_INT, made); }));
  check_empty(Type([&](MPI_Datatype* made) { return MPI_Type_create_hindexed(3, lengths, addresses, MPI_INT, made); }));
  check_empty(Type([&](MPI_Datatype* made) { return MPI_Type_create_indexed_block(3, 0, places, MPI_INT, made); }));
  check_empty(Type([&](MPI_Datatype* made) { return MPI_Type_create_struct(0, lengths, addresses, olds, made); }));
  check_empty(Type([&](MPI_Datatype* made) { return MPI_Type_create_struct(3, lengths, addresses, olds, made); }));
}

// No elements of a type with data: the addresses are not even looked at.
void no_elements() {
  const Type type = resized(MPI_INT, 0, 12);
  char stream = 's';
  int position = 0;
  CHECK_EQ(MPI_Pack(nullptr, 0, type, &stream, 0, &position, MPI_COMM_SELF), MPI_SUCCESS);
  CHECK_EQ(MPI_Unpack(&stream, 0, &position, nullptr, 0, type, MPI_COMM_SELF), MPI_SUCCESS);
  CHECK_EQ(position, 0);
  MPI_Status status;
  CHECK_EQ(MPI_Sendrecv(nullptr, 0, type, 0, 3, nullptr, 0, type, 0, 3, MPI_COMM_SELF, &status), MPI_SUCCESS);
  int count = -1;
  CHECK_EQ(MPI_Get_count(&status, type, &count), MPI_SUCCESS);
  CHECK_EQ(count, 0);
}

void check_size(MPI_Datatype type, MPI_Count size, MPI_Count lb, MPI_Count extent) {
  MPI_Count is_size = -1, is_lb = -1, is_extent = -1;
  CHECK_EQ(MPI_Type_size_c(type, &is_size), MPI_SUCCESS);
  CHECK_EQ(is_size, size);
  CHECK_EQ(MPI_Type_get_extent_c(type, &is_lb, &is_extent), MPI_SUCCESS);
  CHECK_EQ(is_lb, lb);
  CHECK_EQ(is_extent, extent);
  int small = -1;
  CHECK_EQ(MPI_Type_size(type, &small), MPI_SUCCESS);
  CHECK_EQ(small, size > INT_MAX ? MPI_UNDEFINED : static_cast<int>(size));
}

// Types of more data than any memory holds cost nothing: their sizes are known at once.
void huge_types() {
  const MPI_Count two40 = MPI_Count{1} << 40, two60 = MPI_Count{1} << 60;
  check_size(contiguous(huge, MPI_BYTE), huge, 0, huge);
  check_size(contiguous(huge, MPI_DOUBLE), 8 * huge, 0, 8 * huge);
  check_size(contiguous(two40, contiguous(MPI_Count{1} << 20, MPI_BYTE)), two60, 0, two60);
  check_size(contiguous(huge, resized(MPI_INT, 0, 0)), 4 * huge, 0, 0);
  check_size(resized(MPI_INT, -two60, two60), 4, -two60, two60);
  check_size(Type([](MPI_Datatype* made) { return MPI_Type_vector_c(huge, 1, 2, MPI_DOUBLE, made); }), 8 * huge, 0,
             16 * huge - 8);
  check_size(Type([](MPI_Datatype* made) { return MPI_Type_vector_c(huge, 1, -2, MPI_DOUBLE, made); }), 8 * huge,
             -16 * (huge - 1), 16 * huge - 8);
  const MPI_Count length = 2;
  check_size(Type([&](MPI_Datatype* made) { return MPI_Type_create_hindexed_c(1, &length, &two60, MPI_INT, made); }), 8,
             two60, 8);
  const MPI_Count sizes[] = {1 << 20, 1 << 20}, subsizes[] = {1 << 19, 1 << 18}, starts[] = {1 << 19, 5};
  check_size(Type([&](MPI_Datatype* made) {
               return MPI_Type_create_subarray_c(2, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, made);
             }),
             MPI_Count{1} << 40, 0, MPI_Count{1} << 43);
}

// What the large-count constructors were given comes back whole.
void huge_contents() {
  const Type type = contiguous(huge, MPI_INT);
  MPI_Count integers = -1, addresses = -1, counts = -1, types = -1;
  int combiner = -1;
  CHECK_EQ(MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner), MPI_SUCCESS);
  CHECK_EQ(combiner, MPI_COMBINER_CONTIGUOUS);
  CHECK_EQ(counts, 1);
  CHECK_EQ(types, 1);
  if (integers != 0 || addresses != 0 || counts != 1 || types != 1) return;
  MPI_Count count = -1;
  MPI_Datatype old = MPI_DATATYPE_NULL;
  CHECK_EQ(MPI_Type_get_contents_c(type, 0, 0, 1, 1, nullptr, nullptr, &count, &old), MPI_SUCCESS);
  CHECK_EQ(count, huge);
  CHECK(old == MPI_INT);
}

// Sizes and bounds that 64 bits do not hold.
void overflow() {
  const Type large = contiguous(MPI_Count{1} << 60, MPI_BYTE);
  const auto old = static_cast<MPI_Datatype>(large);
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_contiguous_c(8, old, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_contiguous_c(16, old, made); }));  // 2 to the 64th: not 0
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_contiguous_c(top, old, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_contiguous(INT_MAX, old, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_vector(4, 4, 4, old, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_vector(3, 1, INT_MAX, old, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_vector(3, 1, INT_MIN, old, made); }));
  CHECK(refused([](MPI_Datatype* made) { return MPI_Type_create_hvector_c(3, 1, top / 2, MPI_INT, made); }));
  CHECK(refused([](MPI_Datatype* made) { return MPI_Type_create_hvector_c(top, 1, 1, MPI_INT, made); }));
  const MPI_Count lengths[] = {top, top}, ones[] = {1, 1}, places[] = {0, top}, ends[] = {-top, top};
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_indexed_c(2, lengths, places, MPI_BYTE, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_indexed_c(2, ones, places, MPI_INT, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_create_hindexed_c(2, ones, places, MPI_INT, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_create_hindexed_c(2, ones, ends, MPI_BYTE, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_create_indexed_block_c(2, 1, ends, MPI_INT, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_create_hindexed_block_c(2, 1, ends, MPI_BYTE, made); }));
  const MPI_Datatype olds[] = {MPI_INT, MPI_INT};
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_create_struct_c(2, ones, places, olds, made); }));
  CHECK(refused([&](MPI_Datatype* made) { return MPI_Type_create_struct_c(2, lengths, ones, olds, made); }));
  CHECK(refused([](MPI_Datatype* made) { return MPI_Type_create_resized_c(MPI_INT, top, 1, made); }));
  const MPI_Count sizes[] = {MPI_Count{1} << 31, MPI_Count{1} << 31}, zeros[] = {0, 0};
  CHECK(refused([&](MPI_Datatype* made) {
    return MPI_Type_create_subarray_c(2, sizes, ones, zeros, MPI_ORDER_C, MPI_DOUBLE, made);
  }));
  const int kinds[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}, processes[] = {1, 1};
  const int defaults[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  CHECK(refused([&](MPI_Datatype* made) {
    return MPI_Type_create_darray_c(1, 0, 2, sizes, kinds, defaults, processes, MPI_ORDER_C, MPI_DOUBLE, made);
  }));
}

// Sizes of packed data: more than an int says, and more than 64 bits say.
void pack_sizes() {
  const Type large = contiguous(huge, MPI_INT);
  int small = -1;
  CHECK_EQ(MPI_Pack_size(1, large, MPI_COMM_SELF, &small), MPI_SUCCESS);
  CHECK_EQ(small, MPI_UNDEFINED);
  MPI_Count size = -1;
  CHECK_EQ(MPI_Pack_size_c(3, large, MPI_COMM_SELF, &size), MPI_SUCCESS);
  CHECK(size >= 12 * huge);
  size = -1;
  CHECK(MPI_Pack_size_c(top, large, MPI_COMM_SELF, &size) != MPI_SUCCESS || size == MPI_UNDEFINED);
  size = -1;
  int error_class = MPI_SUCCESS;
  MPI_Error_class(MPI_Pack_external_size_c("external32", 3, large, &size), &error_class);
  if (error_class == MPI_ERR_UNSUPPORTED_OPERATION) return;  // not there at all
  CHECK_EQ(error_class, MPI_SUCCESS);
  CHECK_EQ(size, 12 * huge);
  size = -1;
  CHECK(MPI_Pack_external_size_c("external32", top, large, &size) != MPI_SUCCESS || size == MPI_UNDEFINED);
}

// More elements than could ever be there, of a buffer that is too small: an error before anything is touched.
void too_many() {
  int data = 1, stream = 2;
  for (const MPI_Count count : {huge, MPI_Count{1} << 62, top}) {  // 4 times the second is 0 in 64 bits
    MPI_Count position = 0;
    CHECK(MPI_Pack_c(&data, count, MPI_INT, &stream, sizeof stream, &position, MPI_COMM_SELF) != MPI_SUCCESS);
    CHECK(MPI_Unpack_c(&stream, sizeof stream, &position, &data, count, MPI_INT, MPI_COMM_SELF) != MPI_SUCCESS);
    CHECK_EQ(position, 0);
  }
  CHECK_EQ(data, 1);
  CHECK_EQ(stream, 2);
}

// What a status says of very much data.
void statuses() {
  MPI_Status status{};
  const Type four = contiguous(4, MPI_BYTE), none = contiguous(0, MPI_INT);
  CHECK_EQ(MPI_Status_set_elements_c(&status, MPI_BYTE, 4 * huge + 4), MPI_SUCCESS);
  MPI_Count count = -1;
  CHECK_EQ(MPI_Get_count_c(&status, four, &count), MPI_SUCCESS);
  CHECK_EQ(count, huge + 1);
  CHECK_EQ(MPI_Get_elements_c(&status, four, &count), MPI_SUCCESS);
  CHECK_EQ(count, 4 * huge + 4);
  CHECK_EQ(MPI_Get_count_c(&status, contiguous(7, MPI_BYTE), &count), MPI_SUCCESS);
  CHECK_EQ(count, MPI_UNDEFINED);
  int small = -1;
  CHECK_EQ(MPI_Get_count(&status, four, &small), MPI_SUCCESS);
  CHECK_EQ(small, MPI_UNDEFINED);
  CHECK_EQ(MPI_Get_elements(&status, four, &small), MPI_SUCCESS);
  CHECK_EQ(small, MPI_UNDEFINED);
  CHECK_EQ(MPI_Get_count(&status, contiguous(huge, MPI_DOUBLE), &small), MPI_SUCCESS);
  CHECK_EQ(small, MPI_UNDEFINED);
  CHECK_EQ(MPI_Get_count(&status, contiguous(4 * (huge + 1), MPI_BYTE), &small), MPI_SUCCESS);
  CHECK_EQ(small, 1);
  CHECK_EQ(MPI_Status_set_elements_c(&status, none, 0), MPI_SUCCESS);
  CHECK_EQ(MPI_Get_count(&status, none, &small), MPI_SUCCESS);
  CHECK_EQ(small, 0);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  empty_types();
  no_elements();
  huge_types();
  huge_contents();
  overflow();
  pack_sizes();
  too_many();
  statuses();
  return program.finish();
}
