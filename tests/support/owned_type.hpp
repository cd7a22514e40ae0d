// SPDX-License-Identifier: BSD-3-Clause
// Datatypes that tests make: a reference keeps each of them, and it ends with the last reference.
#pragma once

#include "dtype/datatype.hpp"

namespace bowline::test {

/// The only owner of a type that was just made: the type has no handle any longer.
inline dtype::TypeRef owned(dtype::Datatype& made) {
  dtype::TypeRef ref(made);
  made.drop_handle();
  return ref;
}

/// The same, of a type that describes data from now on.
inline dtype::TypeRef committed(dtype::Datatype& made) {
  made.commit();
  return owned(made);
}

}  // namespace bowline::test
