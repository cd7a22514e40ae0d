// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, sections 5.1.3 and 5.1.4: datatypes for subarrays and distributed arrays.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "api/datatypes/type_arguments.hpp"
#include "api/entry/datatype_handles.hpp"
#include "api/entry/validators.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "dtype/construction/construct.hpp"

namespace bowline::api {
namespace {

using dtype::Combiner;
using dtype::Envelope;

dtype::Order order_of(int order) {
  if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) {
    throw Error(ErrorClass::arg, fmt::format("order is {}, but it must be MPI_ORDER_C or MPI_ORDER_FORTRAN", order));
  }
  return order == MPI_ORDER_C ? dtype::Order::c : dtype::Order::fortran;
}

/// Entry `i` of an array of sizes. Throws Error (arg) if it is less than 1.
MPI_Count size_of(CountArray sizes, int i, const char* name) {
  const MPI_Count size = sizes[static_cast<std::size_t>(i)];
  if (size < 1) refuse_entry(name, i, size, "a size is 1 or more");
  return size;
}

/// The block length in a dimension that is distributed among `processes`.
MPI_Count block_of(int distribution, int argument, int i, MPI_Count size, int processes) {
  const bool by_default = argument == MPI_DISTRIBUTE_DFLT_DARG;
  if (!by_default && argument < 1 && distribution != MPI_DISTRIBUTE_NONE)
    refuse_entry("array_of_dargs", i, argument, "it must be 1 or more, or MPI_DISTRIBUTE_DFLT_DARG");
  switch (distribution) {
    case MPI_DISTRIBUTE_BLOCK: {
      const MPI_Count even = (size - 1) / processes + 1;
      if (by_default) return even;
      if (argument < even)
        refuse_entry("array_of_dargs", i, argument, "so small blocks, one to each process, do not hold the dimension");
      return argument;
    }
    case MPI_DISTRIBUTE_CYCLIC:
      return by_default ? 1 : argument;
    case MPI_DISTRIBUTE_NONE:
      if (processes != 1)
        refuse_entry("array_of_psizes", i, processes, "a dimension with MPI_DISTRIBUTE_NONE has 1 process");
      return size;
    default:
      refuse_entry("array_of_distribs", i, distribution,
                   "it must be MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or MPI_DISTRIBUTE_NONE");
  }
}

/// Throws unless the process grid has `size` processes and `rank` is one of them.
void check_grid(int size, int rank, int ndims, const int* sizes) {
  MPI_Count processes = 1;
  for (int i = 0; i < ndims; ++i) {
    if (sizes[i] < 1) refuse_entry("array_of_psizes", i, sizes[i], "a number of processes is 1 or more");
    if (__builtin_mul_overflow(processes, sizes[i], &processes)) processes = 0;
  }
  if (processes != size) {
    throw Error(ErrorClass::arg,
                fmt::format("size is {}, but array_of_psizes describes a grid of {} processes", size, processes));
  }
  if (rank >= size) {
    throw Error(ErrorClass::arg,
                fmt::format("rank is {}, but the grid has {} processes: 0 to {}", rank, size, size - 1));
  }
}

}  // namespace

void type_create_subarray(CountWidth form, int ndims, CountArray array_of_sizes, CountArray array_of_subsizes,
                          CountArray array_of_starts, int order, const dtype::Datatype& oldtype,
                          MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::subarray, form);
  given.add_integer(ndims);
  add_counts(given, ndims, array_of_sizes, "array_of_sizes");
  add_counts(given, ndims, array_of_subsizes, "array_of_subsizes");
  add_counts(given, ndims, array_of_starts, "array_of_starts");
  given.add_integer(order);
  std::vector<dtype::Slice> slices;
  for (int i = 0; i < ndims; ++i) {
    const MPI_Count size = size_of(array_of_sizes, i, "array_of_sizes");
    const MPI_Count subsize = size_of(array_of_subsizes, i, "array_of_subsizes");
    const MPI_Count start = array_of_starts[static_cast<std::size_t>(i)];
    if (subsize > size)
      refuse_entry("array_of_subsizes", i, subsize, fmt::format("the array has a size of {} there", size).c_str());
    if (start < 0 || start > size - subsize)
      refuse_entry(
          "array_of_starts", i, start,
          fmt::format("a part of {} in a size of {} begins at 0 to {}", subsize, size, size - subsize).c_str());
    slices.push_back({size, subsize, start});
  }
  *newtype = to_handle(dtype::subarray(std::move(given), oldtype, slices, order_of(order)));
}

void type_create_darray(CountWidth form, int size, int rank, int ndims, CountArray array_of_gsizes,
                        const int array_of_distribs[], const int array_of_dargs[], const int array_of_psizes[],
                        int order, const dtype::Datatype& oldtype, MPI_Datatype* newtype) {
  Envelope given = envelope_of(Combiner::darray, form);
  for (const int value : {size, rank, ndims}) given.add_integer(value);
  add_counts(given, ndims, array_of_gsizes, "array_of_gsizes");
  add_integers(given, ndims, array_of_distribs, "array_of_distribs");
  add_integers(given, ndims, array_of_dargs, "array_of_dargs");
  add_integers(given, ndims, array_of_psizes, "array_of_psizes");
  given.add_integer(order);
  check_grid(size, rank, ndims, array_of_psizes);
  std::vector<dtype::Distribution> dimensions;
  int left = size;
  for (int i = 0; i < ndims; ++i) {
    const MPI_Count global = size_of(array_of_gsizes, i, "array_of_gsizes");
    const int processes = array_of_psizes[i];
    left /= processes;  // processes in the remaining dimensions: ranks are in row-major order
    const MPI_Count block = block_of(array_of_distribs[i], array_of_dargs[i], i, global, processes);
    dimensions.push_back({global, block, processes, rank / left % processes});
  }
  *newtype = to_handle(dtype::darray(std::move(given), oldtype, dimensions, order_of(order)));
}

}  // namespace bowline::api
