// SPDX-License-Identifier: BSD-3-Clause
#include "api/datatypes/type_arguments.hpp"

#include <fmt/format.h>

#include "api/entry/validators.hpp"
#include "base/error.hpp"

namespace bowline::api {
namespace {

void check_array(MPI_Count n, CountArray values, const char* name) {
  if (n > 0 && values.is_null()) check::refuse::pointer(name);
}

/// Makes room for `n` more values at once.
void reserve(dtype::Envelope& envelope, MPI_Count n) {
  const auto more = static_cast<std::size_t>(n);
  if (envelope.large) {
    envelope.counts.reserve(envelope.counts.size() + more);
  } else {
    envelope.integers.reserve(envelope.integers.size() + more);
  }
}

}  // namespace

void refuse_entry(const char* name, MPI_Count i, MPI_Count value, const char* allowed) {
  throw Error(ErrorClass::arg, fmt::format("{}[{}] is {}, but {}", name, i, value, allowed));
}

void add_counts(dtype::Envelope& envelope, MPI_Count n, CountArray values, const char* name) {
  check_array(n, values, name);
  reserve(envelope, n);
  for (MPI_Count i = 0; i < n; ++i) envelope.add_count(values[static_cast<std::size_t>(i)]);
}

void add_lengths(dtype::Envelope& envelope, MPI_Count n, CountArray values, const char* name) {
  check_array(n, values, name);
  for (MPI_Count i = 0; i < n; ++i) {
    const MPI_Count value = values[static_cast<std::size_t>(i)];
    if (value < 0) refuse_entry(name, i, value, "a number of elements is 0 or more");
  }
  add_counts(envelope, n, values, name);
}

void add_addresses(dtype::Envelope& envelope, MPI_Count n, CountArray values, const char* name) {
  check_array(n, values, name);
  if (envelope.large) return add_counts(envelope, n, values, name);
  envelope.addresses.reserve(envelope.addresses.size() + static_cast<std::size_t>(n));
  for (MPI_Count i = 0; i < n; ++i) envelope.add_address(values[static_cast<std::size_t>(i)]);
}

void add_integers(dtype::Envelope& envelope, MPI_Count n, const int* values, const char* name) {
  check::array(values, n, name);
  envelope.integers.insert(envelope.integers.end(), values, values + n);
}

}  // namespace bowline::api
