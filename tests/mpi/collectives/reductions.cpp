// SPDX-License-Identifier: BSD-3-Clause
// MPI_Reduce and MPI_Allreduce against a plain reference: operators, types, counts, roots and MPI_IN_PLACE.
#include <string>
#include <vector>

#include "check.hpp"
#include "reference.hpp"

namespace {

using check::Group;
using check::NamedOperator;

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int all_ranks = -1;  // as a root: MPI_Allreduce

struct Case {
  MPI_Datatype type;
  const char* name;
  Group group;
};

// std::vector<bool> has no array of bool; elements lie in bytes of the right size instead.
template <typename T>
class Array {
 public:
  Array(const NamedOperator& op, Group group, int rank, int count)
      : bytes_(static_cast<std::size_t>(count + 1) * sizeof(T)) {
    for (int i = 0; i < count; ++i) at(i) = check::element<T>(op.meaning, group, rank, i);
  }
  T& at(int i) { return *(reinterpret_cast<T*>(bytes_.data()) + i); }
  void* data() { return bytes_.data(); }
  const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  std::vector<unsigned char> bytes_;
};

template <typename T>
void reduce(const Case& how, const NamedOperator& op, int count, int root, bool in_place) {
  const bool receives = root == all_ranks || root == check::rank;
  Array<T> in(op, how.group, check::rank, count);
  Array<T> out = in_place ? in : Array<T>(op, how.group, check::rank + 50, count);
  const auto before = receives ? in.bytes() : out.bytes();

  const void* source = in_place && receives ? MPI_IN_PLACE : in.data();
  const int code = root == all_ranks ? MPI_Allreduce(source, out.data(), count, how.type, op.handle, world)
                                     : MPI_Reduce(source, out.data(), count, how.type, op.handle, root, world);
  const auto describe = [&] {
    return std::string(op.name) + " of " + std::to_string(count) + " x " + how.name + ", root " + std::to_string(root) +
           (in_place ? ", in place" : "");
  };
  CHECK_EQ(code, MPI_SUCCESS);
  CHECK((receives ? in.bytes() : out.bytes()) == before);  // what is only read, or not used on this rank, stays
  for (int i = 0; receives && i < count; ++i) {
    ++check::made;
    if (check::same(out.at(i), check::reduced<T>(op.meaning, how.group, check::size, i))) continue;
    return check::report(__FILE__, __LINE__, describe() + ": wrong at element " + std::to_string(i));
  }
}

template <typename T>
void every_operator(const Case& how) {
  for (const NamedOperator& op : check::operators) {
    if (!check::allowed(op.meaning, how.group)) continue;
    for (const int count : {1, 7, 1500}) reduce<T>(how, op, count, all_ranks, false);
    reduce<T>(how, op, 5, check::size - 1, false);
  }
}

void every_type() {
  every_operator<signed char>({MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", Group::integer});
  every_operator<unsigned char>({MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", Group::integer});
  every_operator<short>({MPI_SHORT, "MPI_SHORT", Group::integer});
  every_operator<unsigned short>({MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", Group::integer});
  every_operator<int>({MPI_INT, "MPI_INT", Group::integer});
  every_operator<unsigned>({MPI_UNSIGNED, "MPI_UNSIGNED", Group::integer});
  every_operator<long>({MPI_LONG, "MPI_LONG", Group::integer});
  every_operator<unsigned long>({MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", Group::integer});
  every_operator<long long>({MPI_LONG_LONG, "MPI_LONG_LONG", Group::integer});
  every_operator<unsigned long long>({MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", Group::integer});
  every_operator<std::int8_t>({MPI_INT8_T, "MPI_INT8_T", Group::integer});
  every_operator<std::uint8_t>({MPI_UINT8_T, "MPI_UINT8_T", Group::integer});
  every_operator<std::int16_t>({MPI_INT16_T, "MPI_INT16_T", Group::integer});
  every_operator<std::uint16_t>({MPI_UINT16_T, "MPI_UINT16_T", Group::integer});
  every_operator<std::int32_t>({MPI_INT32_T, "MPI_INT32_T", Group::integer});
  every_operator<std::uint32_t>({MPI_UINT32_T, "MPI_UINT32_T", Group::integer});
  every_operator<std::int64_t>({MPI_INT64_T, "MPI_INT64_T", Group::integer});
  every_operator<std::uint64_t>({MPI_UINT64_T, "MPI_UINT64_T", Group::integer});
  every_operator<float>({MPI_FLOAT, "MPI_FLOAT", Group::floating});
  every_operator<double>({MPI_DOUBLE, "MPI_DOUBLE", Group::floating});
  every_operator<long double>({MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", Group::floating});
  every_operator<std::complex<float>>({MPI_C_FLOAT_COMPLEX, "MPI_C_FLOAT_COMPLEX", Group::complex});
  every_operator<std::complex<double>>({MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", Group::complex});
  every_operator<std::complex<long double>>({MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", Group::complex});
  every_operator<bool>({MPI_C_BOOL, "MPI_C_BOOL", Group::logical});
  every_operator<unsigned char>({MPI_BYTE, "MPI_BYTE", Group::byte});
  every_operator<MPI_Aint>({MPI_AINT, "MPI_AINT", Group::other_integer});
  every_operator<MPI_Count>({MPI_COUNT, "MPI_COUNT", Group::other_integer});
  every_operator<MPI_Offset>({MPI_OFFSET, "MPI_OFFSET", Group::other_integer});
  every_operator<int>({MPI_INTEGER, "MPI_INTEGER", Group::other_integer});
  every_operator<int>({MPI_LOGICAL, "MPI_LOGICAL", Group::logical});
  every_operator<float>({MPI_REAL, "MPI_REAL", Group::floating});
  every_operator<double>({MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", Group::floating});
  every_operator<std::complex<float>>({MPI_COMPLEX, "MPI_COMPLEX", Group::complex});
  every_operator<check::Pair<float>>({MPI_FLOAT_INT, "MPI_FLOAT_INT", Group::pair});
  every_operator<check::Pair<double>>({MPI_DOUBLE_INT, "MPI_DOUBLE_INT", Group::pair});
  every_operator<check::Pair<long>>({MPI_LONG_INT, "MPI_LONG_INT", Group::pair});
  every_operator<check::Pair<int>>({MPI_2INT, "MPI_2INT", Group::pair});
  every_operator<check::Pair<short>>({MPI_SHORT_INT, "MPI_SHORT_INT", Group::pair});
  every_operator<check::Pair<long double>>({MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT", Group::pair});
  every_operator<check::Pair<float, float>>({MPI_2REAL, "MPI_2REAL", Group::pair});
  every_operator<check::Pair<double, double>>({MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION", Group::pair});
  every_operator<check::Pair<int>>({MPI_2INTEGER, "MPI_2INTEGER", Group::pair});
}

void every_root_and_count() {
  const Case ints = {MPI_INT, "MPI_INT", Group::integer};
  const Case doubles = {MPI_DOUBLE, "MPI_DOUBLE", Group::floating};
  for (int root = all_ranks; root < check::size; ++root) {
    for (const bool in_place : {false, true}) {
      for (const int count : {0, 1, 2, 3, 5, 8, 13, 64, 255, 1000, 4097, 10000}) {
        reduce<int>(ints, check::operators[0], count, root, in_place);
        reduce<double>(doubles, check::operators[3], count, root, in_place);
      }
    }
  }
  for (const bool in_place : {false, true}) reduce<double>(doubles, check::operators[0], 300000, all_ranks, in_place);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  every_root_and_count();
  every_type();
  return program.finish();
}
